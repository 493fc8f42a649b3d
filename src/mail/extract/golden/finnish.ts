import type { GoldenMail } from './mail.ts'

export const FINNISH: readonly GoldenMail[] = [
  {
    subject: 'Vahvistuskoodisi',
    text: 'Hei!\n\nVahvistuskoodisi on 482913. Se on voimassa 10 minuuttia.',
    codes: ['482913'],
  },
  { subject: 'Kirjautumiskoodi', text: 'Kirjautumiskoodi: 7731\nÄlä jaa sitä kenellekään.', codes: ['7731'] },
  {
    subject: 'Vahvista tilauksesi',
    text: 'Syötä kertakäyttökoodi 551204 vahvistaaksesi tilauksen 88120. Summa 49,90 €.',
    codes: ['551204'],
  },
  {
    subject: 'Kirjaudu sisään',
    html: '<p>Käytä alla olevaa koodia kirjautumiseen</p><p style="font-size:28px"><b>209 448</b></p>',
    codes: ['209448'],
  },
  { subject: '660912 on turvakoodisi', text: 'Jos et pyytänyt koodia, ohita viesti.', codes: ['660912'] },
  { subject: 'Alennus', text: 'Käytä alennuskoodia 202020 ja saat 20 % alennuksen.', codes: [] },
  { subject: 'Tilausvahvistus', text: 'Tilausnumero 482913. Seurantakoodi 55120448. Puhelin 09 123 4567.', codes: [] },
]
