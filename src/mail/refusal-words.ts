import type { Bounce } from './outcome.ts'

/** What a refusal for good is about, in the words of the trade. */
export interface RefusalReason {
  readonly name: string
  readonly bounce: Bounce
  readonly words: RegExp
}

export const NO_EMAIL: Bounce = { type: 'Permanent', subType: 'NoEmail' }
export const BAD_ADDRESS: Bounce = { type: 'Permanent', subType: 'General' }
export const FULL: Bounce = { type: 'Transient', subType: 'MailboxFull' }
export const TOO_LARGE: Bounce = { type: 'Transient', subType: 'MessageTooLarge' }
export const CONTENT: Bounce = { type: 'Transient', subType: 'ContentRejected' }
export const ATTACHMENT: Bounce = { type: 'Transient', subType: 'AttachmentRejected' }
export const PASSING: Bounce = { type: 'Transient', subType: 'General' }
export const UNDETERMINED: Bounce = { type: 'Undetermined', subType: 'Undetermined' }

// Nobody looks further; what a server says is kept to 1,000 characters, what a report quotes to as many.
const MAX_TEXT_LENGTH = 2_000

// `someone@example.net` is whoever it is: an address that contains "spam" or "sender" says nothing. Of a URL the host may say something.
const ADDRESS = /[^\s<>"'(),;:@]{1,64}@[^\s<>"'(),;:@]{1,253}/g
const URL = /https?:\/\/([^\s/?#]{1,253})\S{0,1000}/g

/** The text as the tables below read it: small letters, one space between words, `@` for an address, the host for a URL. */
export function wordsOf(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .toLowerCase()
    .replace(URL, '$1')
    .replace(ADDRESS, '@')
    .replaceAll('’', "'")
    .replace(/[\s_]+/g, ' ')
}

const any = (...phrases: (RegExp | string)[]) =>
  new RegExp(phrases.map((phrase) => (typeof phrase === 'string' ? phrase : phrase.source)).join('|'))

/**
 * What a refusal can be about besides the address, in the order of looking. These words come before those about the address and
 * before the code: `550 5.1.1 … over quota`, `550 5.1.0 sender rejected` and "no such user … sender verify failed" say nothing bad
 * about a recipient, and whoever is suppressed by mistake gets no mail at all. In doubt an address stays good.
 */
const NOT_THE_ADDRESS: readonly RefusalReason[] = [
  {
    name: 'mailbox full',
    bounce: FULL,
    words: any(
      /\bfull\b|quota|storage|\bspace\b|(?:mail ?box|account)\b[^.;]{0,40}\bsize|pleine|一杯|いっぱい|容量|空きが/,
      /too many (?:messages|mails)\b[^.;]{0,20}\b(?:server|mailbox|inbox|box)/,
    ),
  },
  {
    name: 'attachment',
    bounce: ATTACHMENT,
    words: any(/\battachments?\b|\bfile (?:type|extension|name)|embedded images/),
  },
  {
    name: 'message too large',
    bounce: TOO_LARGE,
    words: any(
      /too (?:large|big|long)|(?:message|mail) (?:size|length)|size (?:limit|exceed)/,
      /exceed\w* (?:\w+ ){0,5}size|max\w* (?:\w+ )?size|\bsize=|taille limite/,
    ),
  },
  {
    name: 'relaying and loops',
    bounce: UNDETERMINED,
    words: any(/\brelay(?:ing)?\b(?!=| recipient)|rcpthost|handle mail for|\bloop|\bhops?\b/),
  },
  {
    name: 'rate',
    bounce: PASSING,
    words: any(
      /\brates?\b|rate.?limit|throttl|too (?:many|much|fast|quickly|frequent)|slow down|frequency/,
      /\b(?:hourly|daily)\b/,
      /(?:per|this|an|last|each|every) (?:second|minute|hour|day)\b|\blimits?\b|exceed/,
    ),
  },
  {
    name: 'blocklist and reputation',
    bounce: CONTENT,
    words: any(
      /(?:black|block|deny|grey|gray|white|allow|safe)[ -]?list|\bblock(?:ed|ing|s)?\b|\bd?rbl|dnsbl|\bbl\b/,
      /reputation|(?<!not )\blisted (?:at|by|in|on|as)\b/,
      /spamhaus|spamcop|sorbs|uceprotect|invaluement|abusix|surbl|uribl|spamrl|barracudacentral|hostkarma/,
      /cloudmark|senderbase|backscatter/,
    ),
  },
  {
    name: 'sender authentication',
    bounce: CONTENT,
    words: any(
      /\bspf\b|\bdkim\b|\bdmarc\b|\barc\b|sender policy|domainkeys|\bbatv\b|spoof|forged|unauthenticated/,
      /must be (?:signed|authenticated)/,
    ),
  },
  {
    name: 'content and policy',
    bounce: CONTENT,
    words: any(
      /spam|unsolicited|\bube\b|\buce\b|\bbulk\b|\bjunk\b|mass mail|virus|malware|phish|infect|suspicious/,
      /\bsecurity\b|\bcontent\b|\bheaders?\b/,
      /polic(?:y|ies)|prohibit|\bbann?(?:ed)?\b|forbidden|violat|restrict|\bfilter|\brules?\b|abus|profile/,
      /classif|offensive|complain|preferences|detect/,
      /subscribed|\bnon-?members?\b|not a member(?! of domain)|members?[- ]only|mailing list|moderat|organi[sz]ational settings/,
      /\bdenied\b|not (?:allowed|permitted)|\bbody\b|message (?:looks|appears|is likely|contains)|\brfc ?\d/,
      /duplicate|fingerprint|\burls?\b/,
    ),
  },
  {
    name: 'sender',
    bounce: UNDETERMINED,
    words: any(
      /(?<!to )\bsender|\bsending\b|(?:mails?|messages?|originating|coming|sent|connections?) from\b/,
      /\bfrom:? (?:address|header|field|domain|your)|return.?path|reply-to|emetteur/,
      /\bhelo\b|\behlo\b|reverse|\bptr\b|\br?dns\b(?! domain)|dnssec|\bmx records|host ?name|\bclient\b/,
      /\bip(?:v[46])?\b/,
      /\byour? (?:are|ip|host|server|domain|network|mta|isp|provider|system|access|account|address|e-?mail address|connection|mail server|envelope)/,
      /authenti|authori[sz]|\blog ?in\b|password|\btls\b|starttls|encrypt|certificate|credential/,
      /(?<!(?:rcpt|recipient) )verif|permission|pre-approved/,
    ),
  },
  {
    name: 'time and network',
    bounce: UNDETERMINED,
    words: any(
      /temporar|try (?:again|later)|again later|\blater\b|time.?out|timed out|not respond|delayed/,
      /multiple retries|(?<!\(delivery )attempts|long (?:time|failure)|no route|resolve\b|unreachable|not reachable|connect/,
      /connexion|\bqueue/,
      /(?:message|mail|delivery|envelope|time)\b[^.;]{0,20}\bexpired|name ?server reply/,
      /server (?:error|failure|configuration|busy|problem)|service (?:\w+ )?(?:not |un)available/,
      /internal (?:server|software|error|problem)|\blocal (?:error|problem)/,
      /system (?:error|failure|problem|not)|configur|config error|overload|busy|resources/,
      /command (?:died|failed|not|unrecogni)|mailer error|being processed|not been collected/,
    ),
  },
]

const WHO = `(?:${
  any(
    /\b(?:users?|user ?names?|userids?|recipients?|rcpt|addressee|mail[- ]?box(?:es)?|accounts?|address(?:es)?|alias|person|customer|local[- ]?part)\b/,
    /@/,
  ).source
})`
const IS_UNKNOWN = `(?:${
  any(
    /\bunknown|\bnot (?:be )?found|n't be found|wasn't found|\bnot exist|n't exist|\bnon-?exist/,
    /\bno longer|\binvalid/,
    /\bnot (?:an? )?(?:valid|known|active|recogni[sz]ed|local|present|defined|registered)/,
    /\bunrecogni[sz]ed|\bwrong|\bhas moved|\bmisspelled/,
  ).source
})`
const IS_DISABLED = `(?:${
  any(
    /disabled|inactive|suspended|suspend|deactivated|closed|expired|discontinued|frozen|locked|terminated/,
    /cancel+ed|archived|deleted|removed|not activated|inactivated/,
  ).source
})`

/** What says that an address or its domain does not exist any more or never did, or that its mailbox is switched off. */
const THE_ADDRESS: readonly RefusalReason[] = [
  {
    name: 'unknown user',
    bounce: NO_EMAIL,
    words: any(
      `${WHO}[^.;]{0,60}${IS_UNKNOWN}`,
      String.raw`\b(?:unknown|no such|non-?existent|invalid|illegal|undefined|wrong) (?:(?:or|e-?mail|final|delivery|virtual|local|mailing|destination|target|and|illegal|unknown|invalid|internal) ){0,3}${WHO}`,
      /\bno (?:such |valid |existing )?(?:mail ?box|account|user|recipient|person|matches to nameserver query)/,
      /\bbad[- ](?:destination |recipient |mailbox )?(?:recipient|address|mailbox|rcpt)|badrcptto/,
      `not (?:an? )?(?:valid|known|active|local) (?:e-?mail )?${WHO}`,
      /(?:does not|doesn't) have an? (?:\S{1,80} )?(?:account|mailbox|final email delivery point)/,
      /not listed in|not our customer|not a member of domain|no ?body (?:here )?by that name|no one at this address/,
      /recipientnotfound|nosuchuser|unknown ?recipient|not in my validrcptto|user ?unknown/,
      /no \S{1,80} in name directory|mail-box not found|can't accept user|missing home directory/,
      /n'existe pas|inconnue?\b|destinataire invalide|unbekannt|existiert nicht|no existe|desconocid/,
      /nessun utente|sconosciut|inesistente|onbekend|bestaat niet|nie istnieje|não existe|не существует/,
      /не найден|存在しません|不存在|(?:ユーザ|アドレス|宛先|あて先|受信者|ディレクトリ)[^。]{0,60}見つかりません/,
      /ディレクトリ[^。]{0,20}ありません/,
    ),
  },
  {
    name: 'unknown domain',
    bounce: BAD_ADDRESS,
    words: any(
      /no such (?:domain|host)|\bunknown (?:mail )?(?:host|domain)/,
      /(?:host|domain)(?: name)?(?: \S{1,253})? (?:not found|unknown|is unknown|(?:does not|doesn't) exist|must exist|may not exist)/,
      /nonexistent domain/,
      /(?:domain|host|mail) (?:\S{1,80} )?(?:does not|doesn't) accept (?:any )?(?:e-?)?mail/,
      /name or service not known|unroute?able address|domain (?:mentioned )?[^.;]{0,30}\bunknown/,
    ),
  },
  {
    name: 'disabled mailbox',
    bounce: BAD_ADDRESS,
    words: any(
      String.raw`${WHO}[^.;]{0,60}\b${IS_DISABLED}\b`,
      String.raw`\b${IS_DISABLED}(?: e-?mail)? (?:mailbox|account|user|recipient|address)|extended inactivity`,
      /boite du destinataire archivee/,
    ),
  },
]

/** What name servers say of a domain, in words that are otherwise about time and network. Of the sender's domain it says nothing. */
const NO_SUCH_DOMAIN: RefusalReason = {
  name: 'unknown domain, by name servers',
  bounce: BAD_ADDRESS,
  words:
    /^(?!.*(?:\bsender|mail from|\byour\b|\bhelo\b)).*(?:nxdomain|domain name not found|find any host|mail exchanger or ip address|null ?mx)/,
}

/** The words decide by the first reason that they name. */
export const REASONS: readonly RefusalReason[] = [NO_SUCH_DOMAIN, ...NOT_THE_ADDRESS, ...THE_ADDRESS]

/** The words of RFC 5321 for "not here", which servers also say for other reasons: they count where no code says something else. */
export const REFUSED_RECIPIENT = any(
  /mail ?box (?:\S{1,80} )?(?:is )?(?:(?:currently )?unavailable|(?:currently )?not available)/,
  /no mail ?box available/,
  /(?:recipients?(?: address(?:es)?)?|rcpt)(?: <?@>?)?(?: was| were| is| has been)? (?:rejected|refused(?! to)|not accepted)/,
  /(?:recipient|rcpt|user)(?: <?@>?)? not ok\b|rejected recipients|user (?:is )?(?:unavailable|not available)|unable to receive/,
)
