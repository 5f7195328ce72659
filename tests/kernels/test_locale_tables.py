"""The locale tables are read when a value needs them, not before."""

import subprocess
import sys

SCRIPT = """
import fieldwise as fw
from fieldwise.kernels import locale_tables
matches = ["money", "date", "datetime", "duration", "quantity", "boolean", "code", "country", "currency", "language"]
fields = [{"path": match, "match": match} for match in matches]
record = dict.fromkeys(matches, "5")
cases = [{"expected": record, "actual": record}]
fw.check({"evaluators": [{"type": "field_accuracy", "fields": fields}]}, cases=cases)
print(locale_tables._read_table.cache_info().currsize)
fw.match("money", expected=["RM5"], actual=[5])
print(locale_tables._read_table.cache_info().currsize > 0)
"""


def test_check_reads_no_table_and_the_first_value_does() -> None:
    output = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
    assert output.split() == ["0", "True"]
