import type { GoldenMail } from './mail.ts'

/** Codes in mail that is about an order, a price or a discount besides. */
export const ENGLISH_BESIDE_ORDERS: readonly GoldenMail[] = [
  { subject: 'Confirm your order', text: 'Your one-time code to confirm your order is 482913.', codes: ['482913'] },
  { subject: 'Checkout', text: 'Your code to confirm your order: 482913', codes: ['482913'] },
  {
    subject: 'Your verification code',
    text: 'Use 731904 to verify your purchase of $49.99 (order #88213). Save 20% on your next order!',
    codes: ['731904'],
  },
  {
    subject: 'Almost done',
    text: 'Hi Jo,\n\nEnter the verification code below to complete your order 100482.\n\n559204\n\nThe code expires in 10 minutes.\nOrder total: $1,204.00',
    codes: ['559204'],
  },
  {
    subject: 'Verify your payment',
    text: 'Security code 408812 for your payment of USD 1299.00 at ACME with card ending in 4242. Do not share it.',
    codes: ['408812'],
  },
  {
    subject: 'Sign in to your account',
    html: '<p>Your sign-in code is</p><h1>204 771</h1><p>Today only: 30% off everything with code SUMMER30.</p>',
    codes: ['204771'],
  },
  {
    subject: 'Your pickup order: confirm your identity',
    text: 'Show the driver nothing. Your verification code for order 55120 is 903311. Free shipping on your next order.',
    codes: ['903311'],
  },
  {
    subject: 'Invoice portal: your login code',
    text: 'Your login code for the invoice portal is 66120. Invoice 2026-00417 over 4,200.00 EUR is waiting for you.',
    codes: ['66120'],
  },
  {
    subject: '118 204 is your code',
    text: 'Use it to finish your order. If you did not order anything, ignore this mail.',
    codes: ['118204'],
  },
  {
    subject: 'Approve the transfer',
    text: 'OTP to authorize your transfer of INR 25000.00 to account XX4821 is 770142. Valid for 3 minutes. Ref no 99120441.',
    codes: ['770142'],
  },
  {
    subject: 'Delivery: confirm',
    html: '<table><tr><td>Order</td><td>7712004</td></tr><tr><td>Total</td><td>$58.20</td></tr><tr><td>Verification code</td><td><b>4471</b></td></tr></table>',
    codes: ['4471'],
  },
  {
    subject: 'Your discount is waiting',
    text: 'First confirm your email address. Your confirmation code is 338190.\n\nThen enjoy 15% off.',
    codes: ['338190'],
  },
  {
    subject: 'Gift card purchase',
    text: 'To release your gift card order, enter the one-time passcode 610445 on the checkout page.',
    codes: ['610445'],
  },
  {
    subject: 'Confirm subscription renewal',
    text: 'Your 6-digit code to approve invoice 4410 is 902144.',
    codes: ['902144'],
  },
  {
    subject: 'Bank: payment approval',
    text: '**551209** is your authorization code for a purchase of 120.00 GBP. Card **4242.',
    codes: ['551209'],
  },
  {
    subject: 'Verify',
    html: '<div>Code for your order</div><table><tr><td>9</td><td>1</td><td>4</td><td>0</td><td>2</td><td>7</td></tr></table><div>Enter this verification code within 100% of the time limit.</div>',
    codes: ['914027'],
  },
  { subject: 'G-204418 is your verification code', text: 'Buy one, get one free.', codes: ['204418'] },
  { subject: 'Acme', text: 'Verification code: AB12-CD34 (50% of your checks are done)', codes: ['AB12CD34'] },
  { subject: 'Acme', text: 'Your verification code is 123-456. Order history: none.', codes: ['123456'] },
  {
    subject: 'Acme login',
    text: 'Your login code is 7 7 4 1 0 2. It has nothing to do with order 5512.',
    codes: ['774102'],
  },
]
