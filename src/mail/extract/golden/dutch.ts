import type { GoldenMail } from './mail.ts'

export const DUTCH: readonly GoldenMail[] = [
  {
    subject: 'Je verificatiecode',
    text: 'Hallo,\n\nJe verificatiecode is 395027. Deze is 10 minuten geldig.\n\nVoorbeeld B.V., Keizersgracht 14, 1015 CX Amsterdam\nKvK 12345678',
    codes: ['395027'],
  },
  { subject: '882 104 is je inlogcode', text: 'Deel deze met niemand.', codes: ['882104'] },
  {
    subject: 'Inloggen bij Voorbeeld',
    html: '<p>Voer deze code in om in te loggen:</p><div style="font-size:2.5rem">147 660</div><p>Aangevraagd op 16-11-2026 om 09:14</p>',
    codes: ['147660'],
  },
  {
    subject: 'Bevestig je e-mailadres',
    html: '<table><tr><td>Code</td><td>60218</td></tr><tr><td>Klantnummer</td><td>4412087</td></tr></table>',
    codes: ['60218'],
  },
  { subject: 'Eenmalig wachtwoord', text: 'Uw eenmalig wachtwoord: 4N8X2V\nGeldig tot 18:45 uur.', codes: ['4N8X2V'] },
  {
    subject: 'Wachtwoord herstellen',
    html: '<p>Gebruik deze code om je wachtwoord te herstellen</p><table><tr><td>9</td><td>0</td><td>2</td><td>2</td><td>5</td><td>6</td></tr></table><p>Dossier 2026-118820</p>',
    codes: ['902256'],
  },
  {
    subject: 'Betaling bevestigen',
    text: 'Bevestig je betaling van € 1.250,00 met code 561830. Kaart eindigend op 4242.',
    codes: ['561830'],
  },
  {
    subject: 'Tweestapsverificatie',
    text: 'Gebruik 7034 om te bevestigen dat jij het bent. Vragen? Bel 0800 1234.',
    codes: ['7034'],
  },
  {
    subject: 'Beveiligingscode',
    text: 'Beveiligingscode:\n\n   219-448\n\nNiet aangevraagd? Negeer dit bericht.',
    codes: ['219448'],
  },
  {
    subject: 'Activeer je account',
    html: '<h1>Welkom</h1><p>Je activatiecode is</p><p><strong>70415526</strong></p><p>Deze werkt 24 uur.</p>',
    codes: ['70415526'],
  },
  {
    subject: 'Nieuw apparaat',
    text: 'Iemand logt in vanuit Utrecht (3511).\nBevestigingscode: 083 917\nTelefoon 030 123 45 67',
    codes: ['083917'],
  },
  { subject: 'Je pincode', text: 'Je tijdelijke pincode is 5162.', codes: ['5162'] },
  { subject: 'Voorbeeld: 440271', text: 'De code om in te loggen staat in het onderwerp.', codes: ['440271'] },
  {
    subject: 'Toegangscode',
    html: '<p>Hoi Sanne, je toegangscode is <b>RK5-8WD</b>.</p><p>© 2026 Voorbeeld</p>',
    codes: ['RK58WD'],
  },
  {
    subject: 'E-mailadres wijzigen',
    text: 'Vul code 618093 in op https://example.com/wijzig/112233 om de wijziging te bevestigen.',
    codes: ['618093'],
  },
  {
    subject: 'Bestelling 482913 is onderweg',
    text: 'Bestelnummer: 482913\nTotaal: € 1249,90\nTrack & trace-code: 3SABCD99124\nBezorging op 18 november 2026 tussen 1400 en 1600 uur\nKeizersgracht 14, 1015 CX Amsterdam',
    codes: [],
  },
  {
    subject: 'Factuur november',
    text: 'Factuurnummer 202611\nBedrag: € 4800,00\nKlantnr. 481516\nBetalen voor 30-11-2026 op rekening NL91 ABNA 0417 1643 00',
    codes: [],
  },
  {
    subject: '20% korting dit weekend',
    html: '<h1>20% korting</h1><p>Je kortingscode:</p><h2>HERFST20</h2><p>Invullen in je winkelwagen, op 2500 artikelen.</p>',
    codes: [],
  },
  {
    subject: 'Afspraakbevestiging',
    text: 'Wij bevestigen uw afspraak op 17 november 2026 om 14:30 uur in kamer 2041. Afzeggen kan via 020 1234567.',
    codes: [],
  },
  {
    subject: 'Nieuwsbrief november',
    html: '<h1>Nummer 1204</h1><p>Sinds 1998, met 45000 lezers.</p><p>Scan de QR-code op pagina 12. Postbus 10201</p>',
    codes: [],
  },
]
