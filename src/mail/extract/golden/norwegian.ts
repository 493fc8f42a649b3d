import type { GoldenMail } from './mail.ts'

export const NORWEGIAN: readonly GoldenMail[] = [
  {
    subject: 'Bekreftelseskoden din',
    text: 'Hei!\n\nBekreftelseskoden din er 771380. Den er gyldig i 10 minutter.',
    codes: ['771380'],
  },
  { subject: 'Engangskode', text: 'Engangskode: 4820\nDel den aldri med andre.', codes: ['4820'] },
  {
    subject: 'Fullfør bestillingen',
    text: 'Sikkerhetskoden for å bekrefte bestillingen er 904417. Kort som slutter på 4242.',
    codes: ['904417'],
  },
  {
    subject: 'Logg inn',
    html: '<p>Skriv inn koden for å logge inn:</p><table><tr><td>3</td><td>0</td><td>8</td><td>1</td><td>5</td><td>2</td></tr></table>',
    codes: ['308152'],
  },
  { subject: '664 120 er innloggingskoden din', text: 'Ikke svar på denne e-posten.', codes: ['664120'] },
  { subject: 'Salg', text: 'Bruk rabattkode 303030 og få 30 % rabatt på hele bestillingen.', codes: [] },
  { subject: 'Faktura', text: 'Fakturanummer 20264411 på kr 4 829. Logg inn for å betale.', codes: [] },
]
