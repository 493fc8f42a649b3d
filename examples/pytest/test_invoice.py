import smtplib
from email.message import EmailMessage


def send_invoice(to, sandbox):
    """What is tested: an application that sends by SMTP."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = f"billing@{sandbox.domain}", to, "Invoice 42"
    mail.set_content("Please pay at https://shop.example/pay/42 and say 731904 on the phone.")
    with smtplib.SMTP(sandbox.smtp["host"], sandbox.smtp["port"]) as server:
        server.login(sandbox.smtp["user"], sandbox.smtp["password"])
        server.send_message(mail)


def test_an_invoice_has_a_link_and_a_code(sandbox):
    send_invoice("ada@example.com", sandbox)

    mail = sandbox.wait_for(to="ada@example.com", subject="invoice")

    assert mail["links"][0]["target"] == "https://shop.example/pay/42"
    assert mail["codes"] == ["731904"]


def test_a_reminder_comes_after_two_weeks(sandbox):
    sandbox.call("POST", "/emails", {
        "from": f"billing@{sandbox.domain}",
        "to": "ada@example.com",
        "subject": "Still not paid",
        "text": "Please pay.",
        "scheduled_at": "in 14 days",
    })

    happened = sandbox.advance("14 days")["happened"]

    assert "email.delivered" in [each["type"] for each in happened]
    assert sandbox.wait_for(subject="Still not paid")["to"] == ["ada@example.com"]
