import type { GoldenMail } from './mail.ts'

export const SWEDISH: readonly GoldenMail[] = [
  {
    subject: 'Din verifieringskod',
    text: 'Hej!\n\nDin verifieringskod är 482913. Den gäller i 10 minuter.',
    codes: ['482913'],
  },
  { subject: '204 518 är din inloggningskod', text: 'Dela den inte med någon.', codes: ['204518'] },
  {
    subject: 'Bekräfta din beställning',
    text: 'Ange engångskoden 771204 för att bekräfta beställning 55120. Summa 1 299 kr.',
    codes: ['771204'],
  },
  {
    subject: 'Logga in',
    html: '<p>Använd koden nedan för att logga in:</p><h1>660 175</h1><p>Telefon 08-123 45 67</p>',
    codes: ['660175'],
  },
  { subject: 'Säkerhetskod', text: 'Säkerhetskod:\n\n4471\n\nIgnorera mejlet om det inte var du.', codes: ['4471'] },
  { subject: 'Rabatt', text: 'Använd rabattkoden 202611 och få 20 % rabatt i kassan.', codes: [] },
  { subject: 'Din beställning', text: 'Ordernummer 482913. Bekräftelse bifogas. Kort som slutar på 4242.', codes: [] },
]
