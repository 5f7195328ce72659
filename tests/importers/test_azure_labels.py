"""Labels of Azure AI Document Intelligence."""

from importer_samples import read_sample

from fieldwise.importers.azure_labels import azure_labels


def test_words_are_joined_and_rows_of_tables_are_lists() -> None:
    [record] = read_sample("azure_labels")
    assert record.id == "order-17.pdf"
    assert record.record == {
        "Vendor": "Blue Harbour",
        "Paid": True,
        "Fax": None,
        "Net/Gross": "gross",
        "Items": [{"Article": "Rope", "Price": "$12.50"}, {}, {"Article": "Anchor"}],
    }


def test_the_place_of_a_label_is_that_of_all_its_words() -> None:
    [record] = read_sample("azure_labels")
    assert (record.page["Vendor"], record.box["Vendor"]) == (1, [0.1, 0.1, 0.35, 0.13])
    assert (record.page["Net/Gross"], "Fax" in record.page) == (2, False)


def test_a_document_without_labels_is_an_empty_record() -> None:
    assert [record.record for record in azure_labels({"document": "a.pdf", "labels": []})] == [{}]
