import type { GoldenMail } from './mail.ts'

export const ENGLISH: readonly GoldenMail[] = [
  {
    subject: 'Your Acme verification code',
    text: `Hi Sam,

Your verification code is 482913.

It is valid for 10 minutes. If you did not ask for it, call us at +1 555 010 2030.

Acme Inc., 1200 Main Street, Springfield 62704
© 2026 Acme`,
    codes: ['482913'],
  },
  {
    subject: '204518 is your Acme code',
    text: 'It expires in 15 minutes. Never share it with anyone.',
    codes: ['204518'],
  },
  {
    subject: 'Sign in to Globe',
    html: `<html><head><style>.c{font-size:32px;color:#112233}</style><title>Sign in</title></head><body>
      <table width="600"><tr><td><img src="https://example.com/logo/123456.png" alt="Globe"></td></tr>
      <tr><td><p>Use the code below to sign in.</p><div class="c">731 046</div>
      <p>The code is valid for 30 minutes.</p></td></tr>
      <tr><td>Order line 0800 555 019, Mon to Fri 0900 to 1700</td></tr></table></body></html>`,
    codes: ['731046'],
  },
  {
    subject: 'Confirm your email address',
    html: `<p>Welcome!</p><p>Enter this confirmation code in the window where you started:</p>
      <table><tr><td style="border:1px solid">5</td><td>0</td><td>8</td><td>3</td><td>2</td><td>7</td></tr></table>
      <p>Need help? <a href="https://example.com/help/998877">Visit our help center</a>.</p>`,
    codes: ['508327'],
  },
  {
    subject: 'Your one-time password',
    text: 'OTP: 9034\n\nDo not tell it to anybody, not even to our staff.',
    codes: ['9034'],
  },
  {
    subject: 'G-318244 is your verification code',
    text: 'Enter G-318244 to verify your account. This code was sent on November 16, 2026 at 09:14.',
    codes: ['318244'],
  },
  {
    subject: 'Device login',
    html: '<p>To connect your television, open <a href="https://example.com/tv">example.com/tv</a> and type the code</p><h1>WDJB-MJHT</h1><p>It stops working after 900 seconds.</p>',
    codes: ['WDJBMJHT'],
  },
  {
    subject: 'Two-factor authentication',
    text: 'Your login code: AB12-CD34\nRequested from 192.0.2.17 in Lisbon on 2026-11-16 08:31 UTC with Browser 119.',
    codes: ['AB12CD34'],
  },
  {
    subject: 'Reset your password',
    html: `<div>Hello,</div><div>someone asked for a new password for your account 4401822. If it was you, use this code:</div>
      <div style="font-size:28px;letter-spacing:6px"><strong>660175</strong></div><div>Case reference: 20261116-88123</div>`,
    codes: ['660175'],
  },
  { subject: 'Acme: 557120', text: 'The code to log in is in the subject of this message.', codes: ['557120'] },
  {
    subject: 'Your bank needs a confirmation',
    text: `You are paying $1,249.00 to Northwind Ltd.
To approve it, enter this PIN: 70415
Card ending in 4242. Transaction 88120034. If this was not you, call 1-800-555-0199.`,
    codes: ['70415'],
  },
  {
    subject: 'Verify it is you',
    html: '<p>Here is your security code:</p><p><span>2</span><span>9</span><span>4</span><span>4</span><span>0</span><span>1</span></p><p>Sent to sam.1987@example.com</p>',
    codes: ['294401'],
  },
  {
    subject: 'Your backup codes',
    text: 'Keep these recovery codes in a safe place. Each works once.\n\n58203914\n77120456\n90315528\n12674490\n\nAcme 2026',
    codes: ['58203914', '77120456', '90315528', '12674490'],
  },
  {
    subject: 'Complete your registration',
    text: 'Use 8241 to complete your registration at Acme. Then visit https://example.com/start?token=558812 to begin.',
    codes: ['8241'],
  },
  {
    subject: 'New sign-in',
    text: 'Passcode\n\n* 1 4 7 2 5 8 *\n\nGood until 4:30 PM. Questions? PO Box 90210.',
    codes: ['147258'],
  },
  {
    subject: 'Order confirmation #482913',
    text: `Thank you for your order!

Order number: 482913
Placed on 11/16/2026
2 x Desk lamp   $ 1249.00
Total           $ 2498.00
Ship to: 1200 Main Street, Springfield, IL 62704
Tracking code: ZX991244
Questions? Call 555-0100 or quote reference 77120456.`,
    codes: [],
  },
  {
    subject: '20% off everything until Sunday',
    html: '<h1>Autumn sale</h1><p>Save 20% on 1500 items. Use code</p><h2>AUTUMN20</h2><p>at checkout. Not valid with other offers.</p><p>Unsubscribe | Acme, 4821 Elm Road, Austin 73301</p>',
    codes: [],
  },
  {
    subject: 'Invoice 20261104 from Northwind',
    text: 'Please find your invoice no. 20261104 attached.\nAmount due: USD 4800.00\nSort code: 123456\nAccount: 10483920\nPlease confirm receipt.',
    codes: [],
  },
  {
    subject: 'Your appointment tomorrow at 14:30',
    text: 'Dear Sam,\n\nthis is a reminder of your appointment on 17 November 2026 at 14:30 in room 2041. To reschedule call 020 7946 0018 or sign in to your account.',
    codes: [],
  },
  {
    subject: 'This week in engineering',
    html: '<h1>Issue 1204</h1><p>A code review of 45000 lines, and what we learnt from 2019 to 2025.</p><p>Read by 128000 people. <a href="https://example.com/i/445566">Log in to comment</a></p>',
    codes: [],
  },
]
