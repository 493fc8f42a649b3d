import type { GoldenMail } from './mail.ts'

export const POLISH: readonly GoldenMail[] = [
  {
    subject: 'Twój kod weryfikacyjny',
    text: 'Cześć,\n\nTwój kod weryfikacyjny to 471836. Jest ważny przez 10 minut.\n\nPrzykład Sp. z o.o., ul. Lipowa 14, 00-316 Warszawa\nNIP 1234567890',
    codes: ['471836'],
  },
  { subject: '930 215 to Twój kod logowania', text: 'Nie udostępniaj go nikomu.', codes: ['930215'] },
  {
    subject: 'Logowanie do konta',
    html: '<p>Wpisz ten kod, aby się zalogować:</p><h1>628 104</h1><p>Wysłano 16.11.2026 o 09:14</p>',
    codes: ['628104'],
  },
  {
    subject: 'Potwierdź adres e-mail',
    html: '<table><tr><td>Kod:</td><td>70581</td></tr><tr><td>Numer klienta:</td><td>4412087</td></tr></table>',
    codes: ['70581'],
  },
  {
    subject: 'Hasło jednorazowe',
    text: 'Hasło jednorazowe: 359014. Przelew na kwotę 1250,00 PLN, karta kończąca się na 4242.',
    codes: ['359014'],
  },
  {
    subject: 'Zmiana hasła',
    html: '<p>Użyj poniższego kodu, aby zmienić hasło.</p><div style="letter-spacing:.5em;font-size:22px">884027</div><p>Zgłoszenie 2026/118820</p>',
    codes: ['884027'],
  },
  {
    subject: 'Weryfikacja dwuetapowa',
    text: 'Podaj 6249, aby potwierdzić swoją tożsamość. Infolinia 800 123 456.',
    codes: ['6249'],
  },
  {
    subject: 'Kod bezpieczeństwa',
    text: 'Kod bezpieczeństwa:\n\n[306-771]\n\nTo nie Ty? Zignoruj tę wiadomość.',
    codes: ['306771'],
  },
  {
    subject: 'Aktywacja konta',
    html: '<p>Witaj! Kod aktywacyjny:</p><p><strong>55917340</strong></p><p>Wygasa za 24 godziny.</p>',
    codes: ['55917340'],
  },
  {
    subject: 'Nowe urządzenie',
    text: 'Ktoś loguje się z Krakowa (31-042).\nKod potwierdzenia: 017 692\nTel. 22 123 45 67',
    codes: ['017692'],
  },
  { subject: 'Twój PIN', text: 'Tymczasowy PIN: 3380', codes: ['3380'] },
  { subject: 'Przykład: 284415', text: 'Kod do zalogowania znajdziesz w temacie tej wiadomości.', codes: ['284415'] },
  {
    subject: 'Jednorazowy kod dostępu',
    html: '<p>Cześć Ola, Twój kod dostępu to <b>WP6-3HT</b>.</p><p>© 2026 Przykład</p>',
    codes: ['WP63HT'],
  },
  {
    subject: 'Zmiana adresu e-mail',
    text: 'Wprowadź kod 749920 na stronie https://example.com/zmiana/112233',
    codes: ['749920'],
  },
  {
    subject: 'Rejestracja',
    html: '<p>Prawie gotowe.</p><p>Wpisz w aplikacji kod</p><table><tr><td>1</td><td>1</td><td>7</td><td>0</td></tr></table>',
    codes: ['1170'],
  },
  {
    subject: 'Potwierdzenie zamówienia 482913',
    text: 'Dziękujemy za zamówienie nr 482913.\nRazem: 1249,90 zł\nNumer paczki: 520000012345\nDostawa: ul. Lipowa 14, 00-316 Warszawa\nKod pocztowy 00-316\n18 listopada 2026',
    codes: [],
  },
  {
    subject: 'Faktura za listopad',
    text: 'Faktura nr 202611\nKwota: 4800,00 PLN\nTermin płatności 30.11.2026\nNumer klienta 481516\nProsimy o potwierdzenie odbioru.',
    codes: [],
  },
  {
    subject: 'Rabat 25% tylko dziś',
    html: '<h1>-25%</h1><p>Twój kod rabatowy:</p><h2>JESIEN25</h2><p>Wpisz go w koszyku. Ponad 3000 produktów.</p>',
    codes: [],
  },
  {
    subject: 'Przypomnienie o wizycie',
    text: 'Potwierdzamy wizytę 17 listopada 2026 o 14:30, gabinet 2041. Aby odwołać, zadzwoń: 22 765 43 21.',
    codes: [],
  },
  {
    subject: 'Newsletter 1204',
    html: '<h1>Wydanie 1204</h1><p>Od 1998 roku, 45000 czytelników.</p><p>Zeskanuj kod QR na stronie 12.</p>',
    codes: [],
  },
]
