import type { ReplyRule } from '../reply-rule.ts'

/** Of a message, a link or a domain: these words beside the others say that it is not about our address. */
const NOT_THE_SOURCE =
  /\b(?:surbl|uribl|dbl\.spamhaus|spamhaus dbl|url|uri|link|body|content|attachment)s?\b|\b(?:sender|sending|from|envelope) domain\b|\bsender address\b/

const LISTS = String.raw`(?:spamhaus|spamcop|sorbs|barracuda|abusix|uceprotect|invaluement|psbl|dnsbl|\brbl\b|\bbl\.|\b(?:black|block)[ -]?list)`

const rule = (name: string, words: RegExp): ReplyRule => ({
  id: `source/${name}`,
  words,
  except: NOT_THE_SOURCE,
  class: 'spam_block',
})

/**
 * How servers refuse the address that mail comes from: whatever it brings, for as long as that address is on a list or has a bad name.
 * Each of the phrases speaks of an address, a host or a network. What is said of a message, of a link in it (SURBL, URIBL, DBL) or of
 * the sender's domain is not here: that is one team's affair, and no reason to keep mail of the others back.
 */
export const SOURCE_RULES: readonly ReplyRule[] = [
  {
    id: 'source/country',
    words: /rejected based on geographical location|\bcountries\.nerd\.dk\b/,
    class: 'policy_related',
    about: 'source',
  },
  // Postfix, Exim, and whoever asks a list: "Client host [192.0.2.1] blocked using zen.spamhaus.org".
  rule(
    'dns-list',
    new RegExp(
      String.raw`\b(?:client host|client address|host|ip|ip address|connection|connecting)\b[^;]{0,80}\b(?:blocked|rejected|denied|refused|listed|blacklisted|blocklisted|found)\b[^;]{0,40}(?:\busing|\bby|\bin|\bon|\bat|via)\b[^;]{0,60}${LISTS}`,
    ),
  ),
  rule('listed-at', /\b(?:host|ip)\b[^;]{0,80}\blisted (?:in|by|at|on) [a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){2,6}/),
  rule('spamhaus-page', /spamhaus\.org\/(?:query\/ip|sbl|lookup|query\/bl)|check\.spamhaus\.org\/(?:listed|query|sbl)/),
  rule(
    'blocked-using',
    /\bblocked using [a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}|\bclient (?:host )?\S{1,80} blocked using\b/,
  ),
  rule(
    'reputation',
    /\b(?:ip|ip address|host|server|mta|network|netblock)\b[^.;]{0,60}\b(?:poor|bad|low|negative|no) (?:\w+ )?reputation|\b(?:poor|bad|low|negative) (?:\w+ )?reputation (?:of|for) (?:your|the|this)? ?(?:sending |source |client |connecting )?(?:ip|host|server|network)/,
  ),
  rule(
    'listed',
    /\b(?:your|sending|source|client|connecting|the) (?:ip|ip address|host|mail server|server|network|netblock|mta)\b[^.;]{0,60}\b(?:is|are|was|has been|have been)\b[^.;]{0,20}\b(?:black|block)[ -]?listed\b|\b(?:your|sending|source|client|connecting) (?:ip|ip address|host|mail server|server|network)\b[^.;]{0,60}\bon (?:a|our|the) (?:\w+ )?(?:black|block)[ -]?list\b|\bip (?:is |was )?(?:\w+ )?(?:in|on) (?:a|our|the) (?:\w+ )?(?:black|block)[ -]?list|\bip (?:address )?(?:is )?(?:black|block)[ -]?listed/,
  ),
  rule('junk-in-a-list', /\bis in an rbl\b|\bin a black list at\b|\blisted at spamhaus\b/),
]
