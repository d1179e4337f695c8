"""CSV: lines and parts of a file."""

import csv
import io

from serving_api.kit.csv import csv_texts


def test_lines_follow_rfc_4180() -> None:
    rows = [["a,b", 'say "hi"', "two\r\nlines", "ünïcode ☃", None, 1]] * 3
    parts = list(csv_texts(["one", "t,wo"], rows, at_once=2))
    whole = b"".join(parts)
    line = '"a,b","say ""hi""","two\r\nlines",ünïcode ☃,,1\r\n'
    assert whole.decode() == 'one,"t,wo"\r\n' + line * 3
    assert len(parts) == 3
    assert list(csv.reader(io.StringIO(whole.decode(), newline="")))[1][2] == "two\r\nlines"


def test_without_rows_there_is_a_header() -> None:
    assert b"".join(csv_texts(["one"], [])) == b"one\r\n"
