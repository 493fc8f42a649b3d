import type { GoldenMail } from './mail.ts'

/** Numbers that look like codes, beside words that look like theirs. */
export const ENGLISH_NO_CODES: readonly GoldenMail[] = [
  {
    subject: 'Invitation: Weekly sync',
    text: 'Join Zoom Meeting\nhttps://zoom.example/j/84412907731\n\nMeeting ID: 844 1290\nPasscode: 482913\n\nOne tap mobile\n+16465550100,,84412907731#',
    codes: [],
  },
  {
    subject: 'Conference call details',
    text: 'Dial-in: +1 555 010 2030\nConference PIN: 48291\nHost PIN: 7731',
    codes: [],
  },
  {
    subject: 'Teams meeting',
    text: 'Microsoft Teams meeting\nMeeting ID: 221 048\nPasscode: aB3dE9\nDial in by phone +1 555 010 2030, phone conference ID: 482 913',
    codes: [],
  },
  {
    subject: 'Webinar access',
    html: '<p>Join the webinar</p><p>Webinar ID: 9123 4567</p><p>Access code: <b>551204</b></p>',
    codes: [],
  },
  {
    subject: 'Your receipt',
    text: 'We charged your card ending in 4242. Confirm your plan at https://example.com. Visa •••• 4242, expires 0828.',
    codes: [],
  },
  {
    subject: 'New sign-in to your account',
    text: 'We noticed a new login with the card **** 8812 on file. Device ID: 4418820. If this was you, no action is needed.',
    codes: [],
  },
  {
    subject: 'Payment failed',
    text: 'Your payment with Mastercard xxxx-5100 failed. Please verify your billing details. Error 4021.',
    codes: [],
  },
  {
    subject: 'Case update',
    text: 'Your case ID is 482913. Please confirm that the issue is solved. Ticket 99120, user ID 550122.',
    codes: [],
  },
  {
    subject: 'Your order 482913',
    text: 'Your order 482913 is confirmed. Track it with tracking code 55120488.',
    codes: [],
  },
  {
    subject: 'Order 482913 confirmed',
    text: 'Thank you! Please confirm your address: Springfield, IL 62704.',
    codes: [],
  },
  { subject: '20% off', text: 'Use code 202620 at checkout for 20% off your next order.', codes: [] },
  { subject: 'Your gift', text: 'Gift card code: 4821 9930\nPIN: 4410\nUse it at checkout.', codes: [] },
  { subject: 'Booking confirmed', text: 'Your booking code is 482913. Check in from 1500. Room 4021.', codes: [] },
  {
    subject: 'Your new SIM',
    text: 'Your SIM is active. PUK: 48291337. Keep it safe and never share it. Sign in to see more.',
    codes: [],
  },
  { subject: 'Pick-up', text: 'Your parcel is ready. Pickup code: 482913. Bring your ID to verify.', codes: [] },
  {
    subject: 'Verify your email address',
    text: 'Click the button to verify your email address. The link is valid for 1440 minutes.',
    codes: [],
  },
  {
    subject: 'Your statement',
    text: 'Statement for account no. 00482913, sort code 20-00-00. Log in to view it. Balance 4,829.13.',
    codes: [],
  },
  {
    subject: 'Release 4821',
    text: 'Build 4821 on port 5432 failed with exit code 1370. Log in to see the log.',
    codes: [],
  },
  { subject: 'Code review', text: 'PR 4821 needs code review. 1204 lines changed in 2026. Please sign in.', codes: [] },
  {
    subject: 'Address change',
    text: 'Please confirm your new address: 1200 Main Street, San Jose, CA 95112. Zip code 95112.',
    codes: [],
  },
  {
    subject: 'Referral',
    text: 'Share your referral code 482913 and get 500 points when a friend signs up.',
    codes: [],
  },
  {
    subject: 'Your course',
    text: 'Course code CS1204, section 4021, student ID 55120448. Log in to register.',
    codes: [],
  },
  {
    subject: 'Monthly report',
    text: '4829 views and 1337 followers in 2026. Sign in to see more. Your area code: 4155.',
    codes: [],
  },
  { subject: 'Locker', text: 'Locker 4021 is yours until 2030. Confirm the pick-up by phone: 555 0102.', codes: [] },
  { subject: 'Password changed', text: 'Your password was changed on 11/16/2026 at 0914. Case 20261116.', codes: [] },
]
