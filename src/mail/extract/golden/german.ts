import type { GoldenMail } from './mail.ts'

export const GERMAN: readonly GoldenMail[] = [
  {
    subject: 'Ihr Bestätigungscode',
    text: `Guten Tag,

Ihr Bestätigungscode lautet: 730915

Er ist 10 Minuten gültig. Fragen? Telefon 030 1234567.

Muster GmbH, Lindenstraße 14, 10969 Berlin, HRB 123456 B`,
    codes: ['730915'],
  },
  { subject: '418 220 ist Ihr Anmeldecode', text: 'Geben Sie ihn niemals weiter.', codes: ['418220'] },
  {
    subject: 'Anmeldung bei Muster',
    html: '<p>Hallo Kim,</p><p>mit diesem Code meldest du dich an:</p><p style="font-size:36px">905 116</p><p>Nicht angefordert? Dann ignoriere diese E-Mail vom 16.11.2026, 09:14 Uhr.</p>',
    codes: ['905116'],
  },
  {
    subject: 'Ihre TAN',
    text: 'Ihre TAN für die Überweisung von 1.250,00 EUR auf DE02 1203 0000 0000 2020 51 lautet 381902.',
    codes: ['381902'],
  },
  {
    subject: 'Passwort zurücksetzen',
    html: `<table><tr><td>Kundennummer</td><td>5501288</td></tr><tr><td>Sicherheitscode</td><td><b>664120</b></td></tr>
      <tr><td>Gültig bis</td><td>16.11.2026</td></tr></table>`,
    codes: ['664120'],
  },
  {
    subject: 'Dein Einmalpasswort',
    text: 'Dein Einmalpasswort: 7Q4K9P\nEs gilt einmal und für 5 Minuten.',
    codes: ['7Q4K9P'],
  },
  {
    subject: 'Bitte bestätige deine E-Mail-Adresse',
    html: '<h2>Fast geschafft</h2><p>Gib diesen Code in der App ein:</p><table><tr><td><p>3</p></td><td><p>3</p></td><td><p>9</p></td><td><p>0</p></td><td><p>1</p></td><td><p>8</p></td></tr></table><p>Dein Team in 80331 München</p>',
    codes: ['339018'],
  },
  {
    subject: 'Zwei-Faktor-Anmeldung',
    text: 'Verwende 551907, um dich anzumelden. Der Code läuft um 18:45 Uhr ab.',
    codes: ['551907'],
  },
  {
    subject: 'Freischaltcode für Ihr Konto',
    text: 'Ihr Freischaltcode\n\n    4827-1930\n\nBitte innerhalb von 14 Tagen eingeben.',
    codes: ['48271930'],
  },
  {
    subject: 'PIN für Ihre Karte',
    text: 'Ihre neue PIN ist 2094. Bewahren Sie sie nicht zusammen mit der Karte auf, die auf 7731 endet.',
    codes: ['2094'],
  },
  {
    subject: 'Neues Gerät erkannt',
    html: '<p>Jemand meldet sich mit Windows 11 aus Köln an. Sind Sie das?</p><p>Prüfcode: <span style="font-family:monospace">120 774</span></p><p>Vorgang 2026-441208</p>',
    codes: ['120774'],
  },
  {
    subject: 'Verifizierung',
    text: 'Dein Verifizierungscode ist **865433**. Gib ihn unter https://example.com/verify/202611 ein.',
    codes: ['865433'],
  },
  {
    subject: 'Ihr Zugangscode für das Portal',
    text: 'Sehr geehrte Frau Muster,\n\nfolgenden Zugangscode haben Sie angefordert:\n\n19 45 07\n\nMit freundlichen Grüßen',
    codes: ['194507'],
  },
  { subject: 'Code: 6120', text: 'Diesen Code brauchst du für die Anmeldung.', codes: ['6120'] },
  {
    subject: 'E-Mail-Adresse ändern',
    html: '<div>Zum Bestätigen Ihrer neuen Adresse geben Sie bitte ein:</div><div class="otp-code">208864</div><div>Der Code gilt 1 Stunde. Hotline: 0800 1234567 (kostenlos)</div>',
    codes: ['208864'],
  },
  {
    subject: 'Ihre Bestellung 305-1188420 ist unterwegs',
    text: `Bestellnummer: 30511884
Sendungsnummer: 00340434161094
Lieferung am 18.11.2026 zwischen 1400 und 1600 Uhr
Lindenstraße 14, 10969 Berlin
Summe: 1249,90 €`,
    codes: [],
  },
  {
    subject: 'Rechnung Nr. 202611',
    text: 'Rechnungsnummer 202611\nKundennr.: 481516\nBetrag: 4.800,00 EUR\nBitte überweisen Sie bis zum 30.11.2026.',
    codes: [],
  },
  {
    subject: 'Nur heute: 15 % Rabatt',
    html: '<h1>15 % auf alles</h1><p>Dein Rabattcode:</p><h2>HERBST15</h2><p>Im Warenkorb eingeben. Mindestbestellwert 5000 Cent.</p>',
    codes: [],
  },
  {
    subject: 'Terminbestätigung',
    text: 'Wir bestätigen Ihren Termin am 17. November 2026 um 14:30 Uhr, Raum 2041. Absagen bitte unter 089 998877.',
    codes: [],
  },
  {
    subject: 'Newsletter 11/2026',
    html: '<h1>Ausgabe 1204</h1><p>Seit 1998 lesen uns 45000 Menschen. Der QR-Code auf Seite 12 führt zum Gewinnspiel.</p><p>Muster Verlag, 20457 Hamburg. Konto: 44120981</p>',
    codes: [],
  },
]
