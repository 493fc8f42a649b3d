import type { GoldenMail } from './mail.ts'

export const FRENCH: readonly GoldenMail[] = [
  {
    subject: 'Votre code de vérification',
    text: 'Bonjour,\n\nVotre code de vérification est le 640182.\n\nIl expire dans 10 minutes. Assistance : 01 99 00 12 34.\n\nExemple SAS, 12 rue des Lilas, 75011 Paris',
    codes: ['640182'],
  },
  { subject: '290471 : votre code de connexion', text: 'Ne le communiquez à personne.', codes: ['290471'] },
  {
    subject: 'Connexion à votre espace',
    html: '<p>Saisissez ce code pour vous connecter&nbsp;:</p><p style="font-size:30px;font-weight:bold">118&nbsp;530</p><p>Valable jusqu’à 18 h 45.</p>',
    codes: ['118530'],
  },
  {
    subject: 'Confirmez votre adresse e-mail',
    html: '<table><tr><td>Votre code&nbsp;:</td><td><strong>77204</strong></td></tr><tr><td>Compte&nbsp;:</td><td>camille@example.com</td></tr></table>',
    codes: ['77204'],
  },
  {
    subject: 'Mot de passe à usage unique',
    text: 'Votre mot de passe à usage unique : 9K3T7X\n\nDemandé le 16/11/2026 à 09h14.',
    codes: ['9K3T7X'],
  },
  {
    subject: 'Paiement à confirmer',
    text: 'Pour valider votre achat de 1 249,90 € chez EXEMPLE avec la carte se terminant par 4242, utilisez le code 350127.',
    codes: ['350127'],
  },
  {
    subject: 'Réinitialisation du mot de passe',
    html: '<h1>Réinitialisation</h1><p>Voici le code demandé&nbsp;:</p><div style="letter-spacing:8px">4 0 9 9 1 6</div><p>Numéro client : 5501288</p>',
    codes: ['409916'],
  },
  {
    subject: 'Code PIN',
    text: 'Votre code PIN provisoire est : 5580. Changez-le dès votre première connexion.',
    codes: ['5580'],
  },
  {
    subject: 'Activez votre compte',
    html: '<p>Entrez ces chiffres dans l’application pour activer votre compte. Ce code ne sert qu’une fois.</p><div><span>8</span> <span>1</span> <span>3</span> <span>0</span></div>',
    codes: ['8130'],
  },
  {
    subject: 'Nouvel appareil',
    text: 'Nous avons reçu une demande de connexion depuis Lyon (69003).\n\nCode d’identification :\n\n[ 662-084 ]\n\nSi ce n’est pas vous, appelez le 09 70 00 11 22.',
    codes: ['662084'],
  },
  {
    subject: 'Authentification à deux facteurs',
    text: 'Utilisez 731 905 pour terminer votre connexion. Ce code est valable 5 min.',
    codes: ['731905'],
  },
  {
    subject: 'Votre code d’accès',
    html: '<p>Bonjour Camille,<br><br>Code d’accès<br><code>AX7-92K</code><br><br>À bientôt,<br>L’équipe</p><p>© 2026 Exemple</p>',
    codes: ['AX792K'],
  },
  {
    subject: 'Vérification de votre identité',
    text: 'Le code à six chiffres ci-dessous confirme votre identité.\n\n005 318\n\nIl a été envoyé par e-mail le 16 novembre 2026.',
    codes: ['005318'],
  },
  {
    subject: 'Bienvenue',
    html: '<p>Merci de votre inscription du 16/11/2026.</p><p>Code de confirmation&nbsp;: <b>21487730</b></p><p><a href="https://example.com/c/99887766">Confirmer</a></p>',
    codes: ['21487730'],
  },
  { subject: 'Exemple : code 4471', text: 'Saisissez-le dans la fenêtre de connexion.', codes: ['4471'] },
  {
    subject: 'Confirmation de votre commande n° 481203',
    text: 'Merci pour votre commande n° 481203 du 16 novembre 2026.\nMontant : 1249,90 €\nNuméro de suivi : 6A12345678901\nLivraison : 12 rue des Lilas, 75011 Paris\nCode postal : 75011',
    codes: [],
  },
  {
    subject: 'Votre facture de novembre',
    text: 'Facture no 20261101\nMontant TTC : 4800,00 EUR\nÀ régler avant le 30/11/2026\nSIRET 123 456 789 00012\nTél. 01 99 00 12 34',
    codes: [],
  },
  {
    subject: '-30 % ce week-end',
    html: '<h1>Soldes d’automne</h1><p>Votre code promo&nbsp;:</p><h2>AUTOMNE30</h2><p>À saisir dans votre panier, sur plus de 2000 articles.</p>',
    codes: [],
  },
  {
    subject: 'Rappel de rendez-vous',
    text: 'Votre rendez-vous est confirmé le 17 novembre 2026 à 14h30, bureau 2041. Pour annuler, connectez-vous ou appelez le 0 800 123 456.',
    codes: [],
  },
  {
    subject: 'La lettre de novembre',
    html: '<h1>Numéro 1204</h1><p>Depuis 1998, plus de 45000 abonnés.</p><p>Dossier : le code de la route change en 2027.</p>',
    codes: [],
  },
]
