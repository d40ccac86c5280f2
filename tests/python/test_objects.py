"""Objects, texts, findings and single statements."""


import numpy as np
import pytest
import visakit

TEXT = """.version 4.1
.kernel "k"
.decl V32 v_type=G type=f num_elts=16 align=GRF
    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x3f800000:f
    ret (M1, 1)
"""


def test_text_object_and_back():
    object = visakit.parse(TEXT, "k.visaasm", "dg2")
    data = object.encode()
    assert data.startswith(b"CISA") and bytes(object) == data
    again = visakit.decode(data)
    assert (again.kernels, again.functions, again.version) == (["k"], [], (4, 1))
    assert again.encode() == data
    # The vendor's style does not keep all names, so texts are compared.
    text = visakit.print(again)
    assert "add (M1, 16)" in text and visakit.print(visakit.parse(text)) == text
    assert object.platform == "dg2" and str(object) == visakit.print(object, "k")


def test_errors_have_places():
    with pytest.raises(visakit.VisakitError) as caught:
        visakit.parse("ret (M9, 1)\nfoo\n", "bad.visaasm")
    error = caught.value
    assert (error.file, error.line, error.column) == ("bad.visaasm", 1, 6)
    assert len(error.findings) >= 2 and error.findings[0].code == error.code
    assert "ret (M9, 1)" in str(error)
    data = visakit.parse(TEXT).encode()
    for size in range(len(data)):
        with pytest.raises(visakit.VisakitError) as caught:
            visakit.decode(data[:size], "short.isa")
        assert caught.value.offset is not None and caught.value.offset <= size
    with pytest.raises(visakit.VisakitError) as caught:
        visakit.parse(TEXT, platform="nothing")
    assert caught.value.code == "usage-platform" and "dg2" in caught.value.help
    with pytest.raises(visakit.VisakitError, match="no routine `x`"):
        visakit.parse(TEXT).print("x")


def test_verify_text_and_object():
    wrong = TEXT.replace("0x3f800000:f", "0x1:ud")
    [finding] = [one for one in visakit.verify(wrong) if one.severity == "error"]
    assert (finding.code, finding.line, finding.column) == ("type-map", 4, 5)
    assert "spec/" in finding.help and finding.quote.strip().startswith("add")
    [finding] = [one for one in visakit.parse(wrong).verify("dg2") if one.code == "type-map"]
    assert finding.line == 4 and "error[type-map]" in str(finding)
    [finding] = [one for one in visakit.verify(visakit.parse(wrong).encode()) if one.code == "type-map"]
    assert finding.line is None and "instruction 0" in finding.message
    with pytest.raises(AttributeError):
        finding.code = "other"


def test_statements_agree_with_numpy():
    a = np.array([1.5, -2.25, np.inf, 3e38], np.float32)
    b = np.array([0.1, 1e-3, 1.0, 3e38], np.float32)
    [one] = visakit.eval("mul (M1, 4) C A B", {"C": "f", "A": a, "B": b})
    with np.errstate(over="ignore"):
        assert np.array(one.result, np.float32).tolist() == (a * b).tolist()
    assert not one.differs and one.page.startswith("spec/instructions/MUL")
    c = np.arange(8, dtype=np.int16)
    [add, shift] = visakit.eval("add (M1, 8) D C 0x7:w; shl (M1, 8) E D 0x2:w", {"C": c, "D": "w", "E": "w"})
    assert shift.result == ((c + 7) << 2).tolist()
    by_page = visakit.eval("add (M1, 8) D C 0x7:w", {"C": c, "D": "w"}, by="page")[0]
    [written] = [operand for operand in by_page.operands if operand.page is not None]
    assert written.kernel is None and by_page.result == add.result


def test_statements_that_are_wrong():
    with pytest.raises(visakit.VisakitError) as caught:
        visakit.eval("add (M1, 4) C A", {"C": "d", "A": "d"})
    assert caught.value.file == "TEXT" and caught.value.line == 1
    with pytest.raises(visakit.VisakitError, match="not a type"):
        visakit.eval("ret (M1, 1)", {"C": "nothing"})
    with pytest.raises(visakit.VisakitError, match="executes nothing"):
        visakit.eval("ret (M1, 1)", by="magic")
    with pytest.raises(TypeError, match="complex64"):
        visakit.eval("ret (M1, 1)", {"C": np.zeros(2, np.complex64)})


def test_findings_are_values():
    finding = visakit.Finding("a-b", "error", "what", "f", 2, 3, None, "do")
    assert repr(finding) == "<Finding f:2:3: error: what [a-b]>"
    assert "help: do" in str(finding)
