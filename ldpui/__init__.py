"""What the pages share: controls, charts, words, cache and exports. The only Streamlit code outside pages/."""
