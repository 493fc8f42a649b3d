import { expect, test } from 'vitest'
import { extractCodes } from './codes.ts'
import { CHINESE } from './golden/chinese.ts'
import { DUTCH } from './golden/dutch.ts'
import { ENGLISH } from './golden/english.ts'
import { FRENCH } from './golden/french.ts'
import { GERMAN } from './golden/german.ts'
import { ITALIAN } from './golden/italian.ts'
import { JAPANESE } from './golden/japanese.ts'
import { POLISH } from './golden/polish.ts'
import { PORTUGUESE } from './golden/portuguese.ts'
import { SPANISH } from './golden/spanish.ts'

const GOLDEN = { ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, DUTCH, POLISH, JAPANESE, CHINESE }

test('there are two hundred mails, a quarter of them without a code', () => {
  const all = Object.values(GOLDEN).flat()

  expect(all).toHaveLength(200)
  expect(all.filter(({ codes }) => codes.length === 0)).toHaveLength(50)
})

test.each(Object.entries(GOLDEN))('codes of %s mails are found, and no other number is one', (_, mails) => {
  for (const { subject, text = null, html = null, codes } of mails)
    expect({ subject, codes: extractCodes({ subject, text, html }) }).toEqual({ subject, codes })
})

// Written after the rules, to see whether they hold beyond the mails that they were made with.
test.each([
  ['인증번호 안내', '인증번호는 [482913] 입니다. 3분 이내에 입력해 주세요. 고객센터 1588-1234', ['482913']],
  ['Doğrulama kodunuz', 'Doğrulama kodunuz: 204 918. 10 dakika geçerlidir. Çağrı merkezi 0850 123 45 67', ['204918']],
  ['Код подтверждения', 'Ваш код подтверждения: 5519. Никому его не сообщайте. Тел. 8 800 123-45-67', ['5519']],
  [
    'Please verify your device',
    'To sign in, enter the code on the device.\n\nDevice: Linux 6\nVerification code: 083311',
    ['083311'],
  ],
  ['OTP', '<#> 5521 is your OTP. Valid 5 mins. Ref No. 883712', ['5521']],
  ['verify', 'Verification code (valid for 1800 seconds): 667788', ['667788']],
  ['Hi', 'Your code is: a1b2c3d4. Use it.', ['a1b2c3d4']],
  ['Acme code', 'code=k3j9x2', ['k3j9x2']],
  ['Magic link', 'Click to sign in: https://example.com/auth?code=884422\nThis link expires in 15 minutes.', []],
  ['Welcome', 'Your account number is 55012288. Sign in at https://example.com. Company no. 08123456, London EC1A', []],
  ['Your receipt from Acme #1234-5678', 'Receipt #1234-5678\nAmount paid $20.00\nPayment method: card 4242', []],
  ['Build failed: main', 'Commit 482913a by Ada. Exit code 1024. Build 5512 took 1234 seconds. Verify and log in.', []],
  ['Your flight', 'Booking reference: KX7P2Q\nFlight LX1234 on 18 Nov 2026, gate 2041, confirm online', []],
  ['Security alert', 'A new sign-in from 203.0.113.7 at 14:30. Incident 4418820.', []],
  ['Votre colis', 'Votre code de retrait : 481203. Présentez-le au point relais.', []],
  ['Gift card', 'Here is your gift card code: ABCD-1234-EFGH. Balance $5000', []],
  ['Code of conduct 2026', 'We updated our code of conduct in 2026. It has 1204 words. Section 4821 changed.', []],
  [
    'Finish signing in',
    'Hello Kim,\n\nenter the six digits below on the sign-in page:\n\n778 201\n\nUntil 14:45.',
    ['778201'],
  ],
  ['Verify your phone', 'Your number +49 151 23456789 needs to be verified. Code: 1188', ['1188']],
  ['Codice', 'Il codice per confermare il bonifico di 5000 euro è 118 207.', ['118207']],
  ['Su código', 'Utilice la clave 904417 para autorizar la operación por $ 1500.', ['904417']],
  ['Re: meeting', 'Room 4021 at 1530. Dial-in 020 7946 0000, passcode 998877#', ['998877']],
  ['动态码', '【示例银行】动态码：208331（转账500元），切勿告诉他人', ['208331']],
  ['Parcel at locker', 'Your parcel waits in locker 12. Pickup code: 554433. Show the barcode.', []],
  ['登录提醒', '您的账号于2026-11-16 09:14在北京登录。如非本人请联系客服95588。', []],
  ['Boleto', 'Seu boleto de R$ 1200 vence em 30/11/2026. Linha digitável 23790 12345 60000', []],
  ['License', 'Your activation code: ABCDE-12345-FGHIJ-67890', []],
])('%s', (subject, text, codes) => {
  expect(extractCodes({ subject, text, html: null })).toEqual(codes)
})
