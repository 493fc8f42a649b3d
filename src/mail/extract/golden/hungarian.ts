import type { GoldenMail } from './mail.ts'

export const HUNGARIAN: readonly GoldenMail[] = [
  {
    subject: 'Ellenőrző kód',
    text: 'Kedves Anna!\n\nAz ellenőrző kódod: 482913. 10 percig érvényes.',
    codes: ['482913'],
  },
  { subject: 'Bejelentkezés', text: 'Belépési kód: 204 771. Ne oszd meg senkivel.', codes: ['204771'] },
  {
    subject: 'Rendelés megerősítése',
    text: 'A rendelés megerősítéséhez szükséges egyszeri kód: 118830. Összeg 12 990 Ft.',
    codes: ['118830'],
  },
  {
    subject: 'Biztonsági kód',
    html: '<p>Írja be ezt a kódot a bejelentkezéshez:</p><h1>9044</h1><p>Tel. 06 1 123 4567</p>',
    codes: ['9044'],
  },
  { subject: '771209 a biztonsági kódod', text: 'Ha nem te kérted, hagyd figyelmen kívül.', codes: ['771209'] },
  { subject: 'Akció', text: 'A 202611 kuponkóddal 20% kedvezményt kapsz.', codes: [] },
  { subject: 'Rendelés', text: 'Rendelésszám 482913. Megerősítés csatolva. Irányítószám 1051.', codes: [] },
]
