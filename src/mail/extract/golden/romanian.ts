import type { GoldenMail } from './mail.ts'

export const ROMANIAN: readonly GoldenMail[] = [
  {
    subject: 'Codul de verificare',
    text: 'Bună,\n\nCodul tău de verificare este 482913. Este valabil 10 minute.',
    codes: ['482913'],
  },
  { subject: 'Autentificare', text: 'Cod de autentificare: 204 771\nNu îl comunica nimănui.', codes: ['204771'] },
  {
    subject: 'Confirmă comanda',
    text: 'Codul de confirmare pentru comanda 88120 este 118830. Total 129,90 lei.',
    codes: ['118830'],
  },
  {
    subject: 'Conectare',
    html: '<p>Introduceți acest cod pentru a vă conecta:</p><p><strong>9044</strong></p><p>Tel. 021 123 4567</p>',
    codes: ['9044'],
  },
  { subject: '771209 este codul de securitate', text: 'Dacă nu l-ai cerut, ignoră mesajul.', codes: ['771209'] },
  { subject: 'Reduceri', text: 'Folosește codul de reducere 202611 și ai 20% reducere.', codes: [] },
  { subject: 'Comanda ta', text: 'Comanda cu numărul 482913 a fost confirmată. Cod poștal 010101.', codes: [] },
]
