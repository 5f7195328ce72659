"""Amazon Textract AnalyzeLending."""

from importer_samples import read_sample


def test_every_page_is_a_record_with_its_type() -> None:
    pages = read_sample("textract_lending")
    assert [page.metadata["page_type"] for page in pages] == ["PAYSLIPS", "UNCLASSIFIED", "IDENTITY_DOCUMENT", "RECEIPTS"]
    assert pages[0].record == {"PAY_DATE": "7/25/2024", "CURRENT_NET_PAY": None, "Married": False, "EMPLOYEE_NAME": "Jane Doe"}
    assert pages[1].record == {}
    assert pages[2].record["DATE_OF_BIRTH"] == "1978-03-18"
    assert pages[3].record == {"TOTAL": "$12.00"}


def test_confidence_page_and_box_are_shares() -> None:
    payslip = read_sample("textract_lending")[0]
    assert payslip.confidence["EMPLOYEE_NAME"] == 0.97
    assert payslip.page["PAY_DATE"] == 1
    assert payslip.box["PAY_DATE"] == [0.7, 0.2, 0.8, 0.22]
