"""The pages: a folder a section, in it a folder a page.

This file makes one package of them: without it, Python would mix in any other folder of this name on its path.
Streamlit, which takes files directly under pages/ for pages of its other kind, leaves out this one.
"""
