"""One mail through Django, by the Resend backend of django-anymail."""

import json
import os

import anymail
import django
from django.conf import settings
from django.core.mail import EmailMultiAlternatives

settings.configure(
    EMAIL_BACKEND="anymail.backends.resend.EmailBackend",
    ANYMAIL={"RESEND_API_KEY": os.environ["RESEND_API_KEY"], "RESEND_API_URL": os.environ["BASE_URL"] + "/"},
)
django.setup()

mail = EmailMultiAlternatives(
    subject=os.environ["SUBJECT"],
    body="Hi from Django",
    from_email="Acme <me@acme.example>",
    to=["you@example.com"],
    cc=["copy@example.com"],
    bcc=["hidden@example.com"],
    reply_to=["help@acme.example"],
    headers={"X-Order": "7"},
)
# Its own tags and metadata become headers; those of the API are given as they are.
mail.esp_extra = {"tags": [{"name": "kind", "value": "greeting"}]}
mail.attach_alternative("<p>Hi from Django</p>", "text/html")
mail.attach("notes.txt", b"hello", "text/plain")
mail.send()
print(json.dumps({"version": anymail.__version__}, separators=(",", ":")))
