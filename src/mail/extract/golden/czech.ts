import type { GoldenMail } from './mail.ts'

export const CZECH: readonly GoldenMail[] = [
  {
    subject: 'Váš ověřovací kód',
    text: 'Dobrý den,\n\nváš ověřovací kód je 482913. Platí 10 minut.',
    codes: ['482913'],
  },
  { subject: 'Přihlášení', text: 'Přihlašovací kód: 204 771\nNikomu jej nesdělujte.', codes: ['204771'] },
  {
    subject: 'Potvrďte objednávku',
    text: 'Jednorázový kód pro potvrzení objednávky je 118830. Částka 1 299 Kč.',
    codes: ['118830'],
  },
  {
    subject: 'Ověření',
    html: '<p>Zadejte tento kód na přihlašovací stránce:</p><h2>9044</h2><p>Tel. 800 123 456</p>',
    codes: ['9044'],
  },
  {
    subject: '771 209 je váš bezpečnostní kód',
    text: 'Pokud jste o něj nežádali, zprávu ignorujte.',
    codes: ['771209'],
  },
  { subject: 'Sleva', text: 'Slevový kód 202611 vám dá slevu 20 %.', codes: [] },
  { subject: 'Objednávka', text: 'Číslo objednávky 482913. PSČ 11000. Potvrzení v příloze.', codes: [] },
]
