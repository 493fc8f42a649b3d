import { expect, test } from 'vitest'
import { extractCodes } from './codes.ts'
import { ARABIC } from './golden/arabic.ts'
import { CHINESE } from './golden/chinese.ts'
import { CZECH } from './golden/czech.ts'
import { DANISH } from './golden/danish.ts'
import { DUTCH } from './golden/dutch.ts'
import { ENGLISH } from './golden/english.ts'
import { ENGLISH_BESIDE_ORDERS } from './golden/english-beside-orders.ts'
import { ENGLISH_NO_CODES } from './golden/english-no-codes.ts'
import { FINNISH } from './golden/finnish.ts'
import { FRENCH } from './golden/french.ts'
import { GERMAN } from './golden/german.ts'
import { GREEK } from './golden/greek.ts'
import { HEBREW } from './golden/hebrew.ts'
import { HINDI } from './golden/hindi.ts'
import { HUNGARIAN } from './golden/hungarian.ts'
import { INDONESIAN } from './golden/indonesian.ts'
import { ITALIAN } from './golden/italian.ts'
import { JAPANESE } from './golden/japanese.ts'
import { KOREAN } from './golden/korean.ts'
import { NORWEGIAN } from './golden/norwegian.ts'
import { POLISH } from './golden/polish.ts'
import { PORTUGUESE } from './golden/portuguese.ts'
import { ROMANIAN } from './golden/romanian.ts'
import { RUSSIAN } from './golden/russian.ts'
import { SPANISH } from './golden/spanish.ts'
import { SWEDISH } from './golden/swedish.ts'
import { THAI } from './golden/thai.ts'
import { TURKISH } from './golden/turkish.ts'
import { UKRAINIAN } from './golden/ukrainian.ts'
import { VIETNAMESE } from './golden/vietnamese.ts'

const GOLDEN = {
  ARABIC,
  CHINESE,
  CZECH,
  DANISH,
  DUTCH,
  ENGLISH,
  ENGLISH_BESIDE_ORDERS,
  ENGLISH_NO_CODES,
  FINNISH,
  FRENCH,
  GERMAN,
  GREEK,
  HEBREW,
  HINDI,
  HUNGARIAN,
  INDONESIAN,
  ITALIAN,
  JAPANESE,
  KOREAN,
  NORWEGIAN,
  POLISH,
  PORTUGUESE,
  ROMANIAN,
  RUSSIAN,
  SPANISH,
  SWEDISH,
  THAI,
  TURKISH,
  UKRAINIAN,
  VIETNAMESE,
}

test('there are 371 mails in 28 languages, a third of them without a code', () => {
  const all = Object.values(GOLDEN).flat()

  expect(all).toHaveLength(371)
  expect(all.filter(({ codes }) => codes.length === 0)).toHaveLength(111)
})

test.each(Object.entries(GOLDEN))('codes of %s mails are found, and no other number is one', (_, mails) => {
  const found = mails.map(({ subject, text = null, html = null }) => ({
    subject,
    codes: extractCodes({ subject, text, html }),
  }))

  expect(found).toEqual(mails.map(({ subject, codes }) => ({ subject, codes })))
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
  ['Re: meeting', 'Room 4021 at 1530. Dial-in 020 7946 0000, passcode 998877#', []],
  ['动态码', '【示例银行】动态码：208331（转账500元），切勿告诉他人', ['208331']],
  ['Parcel at locker', 'Your parcel waits in locker 12. Pickup code: 554433. Show the barcode.', []],
  ['登录提醒', '您的账号于2026-11-16 09:14在北京登录。如非本人请联系客服95588。', []],
  ['Boleto', 'Seu boleto de R$ 1200 vence em 30/11/2026. Linha digitável 23790 12345 60000', []],
  [
    'Your Acme verification code',
    'Your verification code: 204-918\nIt expires in 10 minutes.\n\nAcme, 354 Oyster Point Blvd, South San Francisco, CA 94080',
    ['204918'],
  ],
  [
    'Please complete your purchase',
    'Enter 991204 on the payment page to complete your purchase of 3 items for $120.50.',
    ['991204'],
  ],
  [
    '[Acme] Sudo email verification code: 55120448',
    'Here is your Acme sudo authentication code:\n\n55120448\n\nThis code is valid for 15 minutes.',
    ['55120448'],
  ],
  [
    'Your temporary login code',
    'Copy and paste this temporary login code:\n\nsnow-rapid-4821-lake\n\nor use 482913',
    ['482913'],
  ],
  [
    'Shop: Sign-in attempt',
    'To authenticate, please use the following One Time Password (OTP): 771204\nDo not share. Order history is private.',
    ['771204'],
  ],
  [
    'Ihre TAN',
    'Ihre TAN für die Überweisung über 1.250,00 EUR auf DE89 3704 0044 0532 0130 00 lautet 482913.',
    ['482913'],
  ],
  [
    'Bestellung bestätigen',
    'Ihr Bestätigungscode für die Bestellung 4711-22 lautet: 663 201. Sie sparen 10 %.',
    ['663201'],
  ],
  [
    'Code de validation',
    'Votre code de validation pour la commande n° 88120 est 551 204. Remise de 10 % appliquée.',
    ['551204'],
  ],
  ['Código', 'Tu código para confirmar tu pedido es 118830. Descuento del 20% aplicado.', ['118830']],
  ['Seu código', 'Código de segurança: 4471. Pedido 88120, total R$ 129,90, cartão final 4242.', ['4471']],
  ['Codice', 'Il codice di verifica per l’ordine 88120 è 551204. Sconto del 10%.', ['551204']],
  ['Bevestig je bestelling', 'Je eenmalige code om je bestelling te bevestigen is 482913.', ['482913']],
  ['Potwierdź zamówienie', 'Kod jednorazowy do potwierdzenia zamówienia to 482913. Rabat 10%.', ['482913']],
  ['ご注文の確認', 'ご注文を確定するための認証コードは 482913 です。10%割引が適用されます。', ['482913']],
  ['订单确认', '您正在确认订单，验证码：482913，5分钟内有效。优惠券已使用。', ['482913']],
  ['Flight', 'Your flight LX 1204 boards at gate 4021. Confirmation code: KX7P2Q. Check in online.', []],
  ['Meeting', 'Google Meet joining info\nOr dial: (US) +1 555-010-2030 PIN: 482 913 204#', []],
  [
    'Bank',
    'Your card ending 4242 was used for $48.29 at ACME 4821. Not you? Verify at once by calling 18005550100.',
    [],
  ],
  ['Newsletter', 'Top 5 tips to verify 2026 leads. 12345 readers sign up each week.', []],
  ['Refund', 'Your refund for order 112-4829133-1337 of $48.29 was confirmed. Reference 4829133.', []],
  ['Survey', 'Take our survey, code 48291 on the receipt, and get 10% off.', []],
  ['Wifi', 'Network: Guest\nPassword: 48291337\nRoom 4021', []],
  ['Event ticket', 'Ticket 482913, seat 1204. Show the QR code. Confirm attendance.', []],
  ['Verify', 'Your verification code\n482913\n\nYour order\n88120\nYour card\n4242', ['482913']],
  ['License', 'Your activation code: ABCDE-12345-FGHIJ-67890', []],
])('%s', (subject, text, codes) => {
  expect(extractCodes({ subject, text, html: null })).toEqual(codes)
})
