import type { GoldenMail } from './mail.ts'

export const DANISH: readonly GoldenMail[] = [
  {
    subject: 'Din bekræftelseskode',
    text: 'Hej\n\nDin bekræftelseskode er 395027. Den udløber om 15 minutter.',
    codes: ['395027'],
  },
  { subject: 'Engangskode', text: 'Brug engangskoden 8841 til at logge ind.', codes: ['8841'] },
  {
    subject: 'Bekræft din ordre',
    text: 'Din sikkerhedskode til at bekræfte ordren er 118204. Beløb: 499,00 kr.',
    codes: ['118204'],
  },
  {
    subject: 'Log ind',
    html: '<p>Indtast koden for at logge ind</p><div style="font-size:30px">70 31 46</div><p>CVR 12345678</p>',
    codes: ['703146'],
  },
  { subject: '552091 er din login-kode', text: 'Del den ikke med andre.', codes: ['552091'] },
  { subject: 'Tilbud', text: 'Spar 25% med rabatkoden 252525. Gælder til 31.12.2026.', codes: [] },
  {
    subject: 'Din ordre er sendt',
    text: 'Ordrenummer: 482913. Sporingskode 00370712. Telefon 70 12 34 56.',
    codes: [],
  },
]
