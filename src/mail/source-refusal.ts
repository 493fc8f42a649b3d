import type { SmtpReply } from './smtp-reply.ts'

/**
 * How servers refuse the address that mail comes from: whatever it brings, for as long as that address is on a list or has a bad name.
 * Each of the phrases speaks of an address, a host or a network. What is said of a message, of a link in it (SURBL, URIBL, DBL) or of
 * the sender's domain is not here: that is one team's affair, and no reason to keep mail of the others back.
 */
const SOURCE_REFUSALS: readonly { readonly name: string; readonly words: RegExp }[] = [
  {
    // Postfix, Exim, and whoever asks a list: "Client host [192.0.2.1] blocked using zen.spamhaus.org".
    name: 'DNS blocklist of the client',
    words:
      /\b(?:client host|client address|host|ip|ip address|connection|connecting)\b[^;]{0,80}\b(?:blocked|rejected|denied|refused|listed|blacklisted|blocklisted|found)\b[^;]{0,40}(?:\busing|\bby|\bin|\bon|\bat|via)\b[^;]{0,60}(?:spamhaus|spamcop|sorbs|barracuda|abusix|uceprotect|invaluement|psbl|dnsbl|\brbl\b|\bbl\.|\b(?:black|block)[ -]?list)/,
  },
  {
    name: 'listed at a name',
    words: /\b(?:host|ip)\b[^;]{0,80}\blisted (?:in|by|at|on) [a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){2,6}/,
  },
  {
    name: 'Spamhaus by its page',
    words: /spamhaus\.org\/(?:query\/ip|sbl|lookup)|check\.spamhaus\.org\/(?:listed|query|sbl)/,
  },
  { name: 'blocked, see the page of the list', words: /\bblocked using [a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}/ },
  // "part of their network is on our block list (S3150)", "banned sending IP", "blocked … S3140".
  { name: 'Outlook block list', words: /\bs31(?:40|50)\b|network is on our block ?list|banned sending ip/ },
  // "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list".
  { name: 'Yahoo block list', words: /\[bl\d{2}\]|\[tss09\]/ },
  // "mail sent from your IP address has been blocked", "very low reputation of the sending IP address".
  {
    name: 'Gmail by address',
    words: /mail sent from your ip (?:address|netblock) has been blocked|low reputation of the sending ip\b/,
  },
  { name: 'iCloud by address', words: /\[(?:cs01|hm08)\]/ },
  {
    name: 'reputation of the address',
    words:
      /\b(?:ip|ip address|host|server|mta|network|netblock)\b[^.;]{0,60}\b(?:poor|bad|low|negative|no) (?:\w+ )?reputation|\b(?:poor|bad|low|negative) (?:\w+ )?reputation (?:of|for) (?:your|the|this)? ?(?:sending |source |client |connecting )?(?:ip|host|server|network)/,
  },
  {
    name: 'the address is on a list',
    words:
      /\b(?:your|sending|source|client|connecting|the) (?:ip|ip address|host|mail server|server|network|netblock|mta)\b[^.;]{0,60}\b(?:is|are|was|has been|have been)\b[^.;]{0,20}\b(?:black|block)[ -]?listed\b|\b(?:your|sending|source|client|connecting) (?:ip|ip address|host|mail server|server|network)\b[^.;]{0,60}\bon (?:a|our|the) (?:\w+ )?(?:black|block)[ -]?list\b|\bip (?:is |was )?(?:\w+ )?(?:in|on) (?:a|our|the) (?:\w+ )?(?:black|block)[ -]?list/,
  },
]

/** Of a message, a link or a domain: these words beside the others say that it is not about our address. */
const NOT_THE_SOURCE =
  /\b(?:surbl|uribl|dbl\.spamhaus|spamhaus dbl|url|uri|link|body|content|attachment)s?\b|\b(?:sender|sending|from|envelope) domain\b/

/** An address of either kind, in brackets or not. */
const ADDRESS = /\[?(?:\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-9a-f]{1,4}:[0-9a-f:]{2,38})\]?/g

/** Whether a refusal for good is about the reputation of the address that we send from, and not about mail or recipient. */
export function isSourceRefusal({ code, text }: SmtpReply): boolean {
  if (code < 500 || code > 599) return false
  const words = text
    .toLowerCase()
    .replace(ADDRESS, 'ip')
    .replace(/[\s_]+/g, ' ')
  return !NOT_THE_SOURCE.test(words) && SOURCE_REFUSALS.some(({ words: pattern }) => pattern.test(words))
}
