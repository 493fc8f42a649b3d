import smtplib
from email.message import EmailMessage


def send_sign_in_mail(to, sandbox):
    """What is tested: an application that sends by SMTP."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = f"hello@{sandbox.domain}", to, "Sign in to the shop"
    mail.set_content("Your code is 731904. Or follow this link: https://shop.example/sign-in?token=42")
    with smtplib.SMTP(sandbox.smtp["host"], sandbox.smtp["port"]) as server:
        server.login(sandbox.smtp["user"], sandbox.smtp["password"])
        server.send_message(mail)


def test_the_mail_has_a_link_and_a_code(sandbox):
    send_sign_in_mail("ada@example.com", sandbox)

    mail = sandbox.wait_for(to="ada@example.com", subject="sign in")

    assert mail["links"][0]["target"] == "https://shop.example/sign-in?token=42"
    assert mail["codes"] == ["731904"]


def test_a_reminder_comes_after_two_weeks(sandbox):
    sandbox.call("POST", "/emails", {
        "from": f"hello@{sandbox.domain}",
        "to": "ada@example.com",
        "subject": "We miss you",
        "text": "Come back!",
        "scheduled_at": "in 14 days",
    })

    happened = sandbox.advance("14 days")["happened"]

    assert "email.delivered" in [each["type"] for each in happened]
    assert sandbox.wait_for(subject="We miss you")["to"] == ["ada@example.com"]
