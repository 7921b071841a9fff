"""What an address says: every setting by its key, links, examples, and ways from page to page."""
