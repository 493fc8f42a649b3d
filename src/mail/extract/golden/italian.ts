import type { GoldenMail } from './mail.ts'

export const ITALIAN: readonly GoldenMail[] = [
  {
    subject: 'Il tuo codice di verifica',
    text: 'Ciao,\n\nil tuo codice di verifica è 726481. Scade tra 10 minuti.\n\nEsempio S.r.l., Via Roma 14, 20121 Milano\nP. IVA 01234567890',
    codes: ['726481'],
  },
  { subject: '315 908 è il tuo codice di accesso', text: 'Non condividerlo con nessuno.', codes: ['315908'] },
  {
    subject: 'Accesso al tuo account',
    html: '<p>Inserisci questo codice per accedere:</p><h2>840217</h2><p>Richiesto il 16/11/2026 alle 09:14</p>',
    codes: ['840217'],
  },
  {
    subject: 'Conferma il tuo indirizzo',
    html: '<table><tr><td>Codice</td><td><b>50933</b></td></tr><tr><td>Cliente n.</td><td>4412087</td></tr></table>',
    codes: ['50933'],
  },
  {
    subject: 'Codice OTP',
    text: 'OTP 190476 per il pagamento di 1.250,00 EUR con la carta che termina con 4242.',
    codes: ['190476'],
  },
  {
    subject: 'Reimposta la password',
    html: '<p>Usa questo codice per reimpostare la password</p><p><span style="font-size:24px">7</span><span>7</span><span>1</span><span>8</span><span>0</span><span>2</span></p><p>Pratica 2026/118820</p>',
    codes: ['771802'],
  },
  {
    subject: 'Password temporanea',
    text: 'La tua password temporanea è M3R9Z4, valida fino alle 18:45.',
    codes: ['M3R9Z4'],
  },
  {
    subject: 'Verifica in due passaggi',
    text: 'Digita 4093 per confermare la tua identità. Numero verde 800 123 456.',
    codes: ['4093'],
  },
  {
    subject: 'Codice di sicurezza',
    text: 'Codice di sicurezza:\n---\n228-713\n---\nSe non sei stato tu, ignora questa email.',
    codes: ['228713'],
  },
  {
    subject: 'Attiva il tuo account',
    html: '<p>Benvenuta! Il codice di attivazione è</p><p class="code">61180245</p><p>ed è valido per 24 ore.</p>',
    codes: ['61180245'],
  },
  {
    subject: 'Nuovo dispositivo',
    text: 'Accesso da Torino (10121) con Android 14.\n\nCodice di conferma: 066 319',
    codes: ['066319'],
  },
  { subject: 'Il tuo PIN', text: 'PIN: 8827', codes: ['8827'] },
  {
    subject: 'Esempio: 550148',
    text: 'Ecco il codice per completare la registrazione: lo trovi nell’oggetto.',
    codes: ['550148'],
  },
  {
    subject: 'Codice monouso',
    html: '<p>Ciao Luca, il codice monouso è <code>TZ8-4QN</code></p><p>© 2026 Esempio</p>',
    codes: ['TZ84QN'],
  },
  {
    subject: 'Modifica email',
    text: 'Per confermare la modifica inserisci il codice 903355 alla pagina https://example.com/modifica/112233',
    codes: ['903355'],
  },
  {
    subject: 'Ordine n. 482913 confermato',
    text: 'Grazie per il tuo ordine!\nNumero ordine: 482913\nTotale: 1249,90 €\nSpedizione: Via Roma 14, 20121 Milano\nCodice di tracciamento: IT99124451\nConsegna: 18 novembre 2026',
    codes: [],
  },
  {
    subject: 'Fattura di novembre',
    text: 'Fattura n. 202611\nImporto: 4.800,00 EUR\nCodice fiscale RSSMRA80A01H501U\nCodice cliente 5501288\nScadenza 30/11/2026',
    codes: [],
  },
  {
    subject: 'Saldi: sconto del 25%',
    html: '<h1>25% di sconto</h1><p>Codice sconto:</p><h2>AUTUNNO25</h2><p>da inserire nel carrello su 3000 prodotti</p>',
    codes: [],
  },
  {
    subject: 'Promemoria appuntamento',
    text: 'Confermiamo il suo appuntamento del 17 novembre 2026 alle 14:30, stanza 2041. Per disdire chiami lo 02 1234567.',
    codes: [],
  },
  {
    subject: 'La newsletter di novembre',
    html: '<h1>Numero 1204</h1><p>Dal 1998, 45000 lettori.</p><p>Inquadra il codice QR a pagina 12. Casella postale 20100</p>',
    codes: [],
  },
]
