"""The rows of linkages.py of 40 four-bar linkages beside each other, which take longer."""
import linkages


def page_rows(clack, device, is_spoiled):
    return linkages.swing_rows(clack, device, is_spoiled, 40)
