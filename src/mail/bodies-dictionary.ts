/**
 * What html and texts of mails begin with, and say again and again: what they share with it is packed as a reference. The most common comes last. It is a part of how
 * bodies are packed: a change of one character needs another version, beside this one for ever.
 */
export const BODIES_DICTIONARY = Buffer.from(
  [
    'If you did not request this, you can ignore this email. If you have any questions, reply to this email or contact our support team. ',
    'You are receiving this email because you signed up. Unsubscribe from this list. All rights reserved. Privacy Policy. Terms of Service. ',
    'Please confirm your email address. Reset your password. This link expires in 24 hours. Your verification code is ',
    'Thank you for your order. View your order in the browser. Your account has been created. Sign in to your account. Your invoice is ready. Your payment was received. ',
    'Hello, Hi there, Best regards, The team at ',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
    '<html xmlns="http://www.w3.org/1999/xhtml" dir="ltr" lang="en"><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"/>',
    '<meta name="viewport" content="width=device-width, initial-scale=1.0"/><meta name="x-apple-disable-message-reformatting"/><title></title><style></style></head>',
    '<div style="display:none;overflow:hidden;line-height:1px;opacity:0;max-height:0;max-width:0"></div>',
    '<img alt="" height="" src="https://" style="display:block;outline:none;border:none;text-decoration:none" width="',
    '<table align="center" width="100%" border="0" cellpadding="0" cellspacing="0" role="presentation" style="max-width:600px;margin:0 auto;padding:20px"><tbody><tr><td>',
    '</td></tr></tbody></table><hr style="width:100%;border:none;border-top:1px solid #eaeaea;margin:26px 0"/>',
    '<span style="font-weight:bold"></span><strong></strong><br/><br>&nbsp;&amp;<ul><li></li></ul><h1 style="font-size:24px;text-align:center;"></h1><h2></h2>',
    'font-family:-apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,"Helvetica Neue",Ubuntu,Arial,Helvetica,sans-serif;',
    'background-color:#ffffff;border-radius:5px;color:#000000;display:inline-block;padding:12px 24px;text-decoration:none;line-height:100%;',
    'font-size:14px;line-height:24px;margin-top:16px;margin-bottom:16px;color:#333333;font-size:16px;line-height:1.5;margin:0 0 16px;',
    '<a href="https://www.example.com/" style="color:#067df7;text-decoration:none" target="_blank"></a>',
    '<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n</head>\n<body style="margin:0;padding:0"><div><p style="margin:0 0 16px">',
    '</p></div></body></html><!doctype html><html><body><p></p><p style="<a href="https://">',
  ].join(''),
)
