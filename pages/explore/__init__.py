"""Explore: one setting, all mechanisms, and what a change of the setting would cost."""
