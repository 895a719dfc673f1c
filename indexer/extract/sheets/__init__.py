"""Spreadsheets (XLSX, XLSB, XLS, ODS) and CSV."""
