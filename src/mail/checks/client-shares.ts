/**
 * How many of a hundred readers open mail in which client, by the names of the data of caniemail.com. Approximate, and of mail to consumers
 * in Europe and North America: what counts is the order of magnitude. Your readers may be others: change the table, and the order and
 * the impact of findings follow. Clients that are not here have next to no share.
 */
export const CLIENT_SHARES: Readonly<Record<string, number>> = {
  'Apple Mail, iOS': 39,
  'Apple Mail, macOS': 12,
  'Gmail, Android': 11.6,
  'Gmail, Desktop Webmail': 12,
  'Gmail, iOS': 5,
  'Gmail, Mobile Webmail': 0.5,
  'Outlook, Windows': 4,
  'Outlook, Windows Mail': 0.3,
  'Outlook, Outlook.com': 2.5,
  'Outlook, macOS': 1,
  'Outlook, iOS': 1.2,
  'Outlook, Android': 0.5,
  'Yahoo! Mail, Desktop Webmail': 1.6,
  'Yahoo! Mail, Android': 0.6,
  'Yahoo! Mail, iOS': 0.5,
  'Samsung Email, Android': 1.8,
  'AOL, Desktop Webmail': 0.4,
  'AOL, Android': 0.1,
  'AOL, iOS': 0.1,
  'Mozilla Thunderbird, Windows': 0.5,
  'Mozilla Thunderbird, macOS': 0.1,
  'GMX, Desktop Webmail': 0.6,
  'GMX, Android': 0.3,
  'GMX, iOS': 0.2,
  'WEB.DE, Desktop Webmail': 0.6,
  'WEB.DE, Android': 0.3,
  'WEB.DE, iOS': 0.2,
  'T-online.de, Desktop Webmail': 0.4,
  'ProtonMail, Desktop Webmail': 0.2,
  'ProtonMail, Android': 0.1,
  'ProtonMail, iOS': 0.1,
  'Orange, Desktop Webmail': 0.4,
  'Orange, Android': 0.1,
  'Orange, iOS': 0.1,
  'SFR, Desktop Webmail': 0.2,
  'Free.fr, Desktop Webmail': 0.2,
  'LaPoste.net, Desktop Webmail': 0.1,
  'Mail.ru, Desktop Webmail': 0.2,
  'WP.pl, Desktop Webmail': 0.2,
  'Fastmail, Desktop Webmail': 0.1,
  'HEY, Desktop Webmail': 0.1,
}

/** What fewer readers than this miss, in percent, has a minor impact. What more of them miss is a warning. */
export const MIN_MAJOR_SHARE = 3
