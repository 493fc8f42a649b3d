import { UNDETERMINED } from '../classes.ts'
import { any, type ReplyRule } from '../reply-rule.ts'
import { ADDRESS_RULES } from './address-words.ts'

/** How much is too much, in anybody's words. */
const RATE = any(
  /\brates?\b|rate.?limit|throttl|too (?:many|much|fast|quickly|frequent)|slow down|frequency/,
  /\b(?:hourly|daily)\b/,
  /(?:per|this|an|last|each|every) (?:second|minute|hour|day)\b|\blimits?\b|exceed/,
)

/** Of whom it is too much. */
const OF_THE_SOURCE = any(
  /too (?:many|much) (?:\w+ ){0,3}(?:connections?|sessions?|errors)\b|\bconnection (?:rate|limit)/,
  /\bfrom (?:your|this|a new or untrusted|the same) (?:\w+ )?(?:ip|host|client|server)\b|\b(?:mail|recipients|messages|connections?|sessions?) from \[?\d/,
  /\brecipients (?:received|sent)\b|insufficient reputation|temporarily deferred due to/,
)

/**
 * What a reply is about when nobody's own words have told. These come before the code: `550 5.1.1 … over quota`, `550 5.1.0 sender
 * rejected` and "no such user … sender verify failed" say nothing bad about a recipient, and whoever is suppressed by mistake gets no mail
 * at all. In doubt an address stays good.
 */
export const WORD_RULES: readonly ReplyRule[] = [
  { id: 'code/starttls-first', code: '530', words: /starttls/, class: 'bad_configuration' },
  // RFC 4954: log in first, the login is too weak, it is wrong, it needs encryption. The operator's slip, not the recipient's fault.
  ...['530', '534', '535', '538'].map((code): ReplyRule => ({ id: `code/${code}`, code, class: 'login_refused' })),
  // A bad address or domain too, but of the sender.
  { id: 'enhanced/1.7', enhanced: '1.7', class: 'invalid_sender' },
  { id: 'enhanced/1.8', enhanced: '1.8', class: 'invalid_sender' },
  { id: 'words/no-recipients', code: '5', words: /\berror: no valid recipients/, class: 'protocol_errors' },
  { id: 'words/greylisted', code: '4', words: /gr[ae]y.?list|postgrey/, class: 'greylisted' },
  { id: 'words/try-again-later', code: '451', enhanced: '7.1', words: /^try again later\.?$/, class: 'greylisted' },
  {
    // What name servers say of a domain, in words that are otherwise about time and network. Of the sender's domain it says nothing.
    id: 'words/no-such-domain',
    words:
      /^(?!.*(?:\bsender|mail from|\byour\b|\bhelo\b)).*(?:nxdomain|domain name not found|find any host|mail exchanger or ip address|null ?mx)/,
    class: 'bad_domain',
  },
  {
    id: 'words/recipient-rate',
    words: any(
      /(?:user|recipient|mail ?box)\b[^.;]{0,40}\b(?:receiv\w+|exceeded)\b[^.;]{0,40}\b(?:rate|quickly|too (?:much|many))/,
      /@>? too many recent messages/,
    ),
    class: 'throttled',
    about: 'recipient',
    means: 'later',
  },
  // 4.2.x is about one mailbox, also where it says that it gets too much at once.
  { id: 'words/mailbox-rate', enhanced: '2.1', words: RATE, class: 'throttled', about: 'recipient', means: 'later' },
  {
    id: 'words/system-full',
    code: '4',
    words: /insufficient (?:system|disk)|\bdisk (?:space|full)/,
    class: 'quota_issues',
    about: 'site',
    means: 'trouble',
  },
  {
    id: 'words/full',
    words: any(
      /\bfull\b|quota|\bstorage\b|\bspace\b|(?:mail ?box|account)\b[^.;]{0,40}\bsize|pleine|一杯|いっぱい|容量|空きが/,
      /too many (?:messages|mails)\b[^.;]{0,20}\b(?:server|mailbox|inbox|box)/,
    ),
    class: 'quota_issues',
  },
  {
    id: 'words/attachment',
    words: /\battachments?\b|\bfile (?:type|extension|name)|embedded images|\bbanned: \./,
    class: 'prohibited_attachment',
  },
  {
    id: 'words/line-length',
    words: /\bline (?:length|too long)|\blines? (?:\w+ ){0,3}too long/,
    class: 'content_related',
  },
  {
    id: 'words/too-large',
    words: any(
      /too (?:large|big|long)|(?:message|mail) (?:size|length)|size (?:limit|exceed)/,
      /exceed\w* (?:\w+ ){0,5}size|max\w* (?:\w+ )?size|\bsize=|taille limite/,
    ),
    class: 'message_too_large',
  },
  { id: 'words/loop', words: /\bloop|\bhops?\b/, class: 'routing_errors' },
  {
    id: 'words/relay',
    words: /\brelay(?:ing)?\b(?!=| recipient)|rcpthost|handle mail for|turn on smtp authentication/,
    class: 'relay_denied',
  },
  {
    id: 'words/too-many-recipients',
    words: /too many recipients(?! (?:from|received|sent|this|per|in|to|an)\b)/,
    class: 'too_many_recipients',
  },
  { id: 'words/source-rate', words: OF_THE_SOURCE, class: 'throttled', about: 'source' },
  { id: 'words/rate', words: RATE, class: 'throttled' },
  { id: 'words/deferred', code: '4', words: /temporarily deferred|reputation/, class: 'throttled' },
  {
    id: 'words/blocklist',
    words: any(
      /(?:black|block|deny|grey|gray|white|allow|safe)[ -]?list|\bd?rbl|dnsbl|\bbl\b/,
      /reputation|(?<!not )\blisted (?:at|by|in|on|as)\b/,
      /spamhaus|spamcop|sorbs|uceprotect|invaluement|abusix|spamrl|barracudacentral|hostkarma/,
      /cloudmark|senderbase|backscatter/,
    ),
    except: /\b(?:surbl|uribl|urls?|link|uri|sender address)\b/,
    class: 'spam_block',
    about: null,
    means: 'refused',
  },
  {
    id: 'words/sender-listed',
    words: /\bsender (?:address|domain)\b[^;]{0,120}\b(?:blocked using|listed)\b/,
    class: 'spam_block',
    about: 'spf_domain',
  },
  {
    id: 'words/link-listed',
    words: /surbl|uribl|\b(?:urls?|links?|uri)\b[^;]{0,60}\b(?:listed|block|spam)|spam url|\bdbl\b/,
    class: 'spam_content',
    about: 'url_domain',
  },
  { id: 'words/dmarc', words: /\bdmarc\b/, except: /temporary dmarc/, class: 'authentication_failed' },
  { id: 'words/dkim', words: /\bdkim\b|domainkeys|must be (?:signed|authenticated)/, class: 'authentication_failed' },
  {
    id: 'words/spf',
    words: /\bspf\b|sender policy/,
    class: 'authentication_failed',
    about: 'spf_domain',
  },
  {
    id: 'words/authentication',
    words: /\barc\b|\bbatv\b|spoof|forged|unauthenticated/,
    class: 'authentication_failed',
  },
  {
    id: 'words/spam',
    words: /spam|unsolicited|\bube\b|\buce\b|\bbulk\b|\bjunk\b|mass mail|\bgtube\b|sollicite/,
    class: 'spam_content',
  },
  { id: 'words/virus', words: /\bvir(?:us|al)|malware|phish|infect/, class: 'virus_related' },
  {
    id: 'words/blocked-recipient',
    words: /recipient account is (?:block|suspend)|mail ?box has been blocked/,
    class: 'inactive_mailbox',
  },
  {
    id: 'words/content',
    words:
      /\bcontent\b|\bheaders?\b|\bbody\b|message (?:looks|appears|is likely|contains)|\brfc ?\d|offensive|\burls?\b|8-?bit/,
    class: 'content_related',
  },
  {
    id: 'words/helo',
    words: /\bhelo\b|\behlo\b/,
    class: 'bad_configuration',
  },
  {
    id: 'words/reverse-name',
    words: /reverse|\bptr\b|\brdns\b|ip name lookup|cannot find your|mismatches client/,
    class: 'bad_configuration',
  },
  {
    id: 'words/policy',
    words: any(
      /\bblock(?:ed|ing|s)?\b|suspicious|\bsecurity\b/,
      /polic(?:y|ies)|prohibit|\bbann?(?:ed)?\b|forbidden|violat|restrict|\bfilter|\brules?\b|abus|profile/,
      /classif|complain|preferences|detect/,
      /subscribed|\bnon-?members?\b|not a member(?! of domain)|members?[- ]only|mailing list|moderat|organi[sz]ational settings/,
      /\bdenied\b|not (?:allowed|permitted)/,
      /duplicate|fingerprint/,
    ),
    class: 'policy_related',
  },
  {
    id: 'words/sender',
    words: any(
      /(?<!to )\bsender\b[^.;]{0,60}\b(?:reject|refus|verif|invalid|unknown|not exist|doesn't exist|not found|resolve)/,
      /\b(?:envelope |mail from |from )(?:sender|domain|address)\b|invalid sender|emetteur/,
    ),
    class: 'invalid_sender',
  },
  {
    id: 'words/tls-trouble',
    code: '4',
    words: /\btls (?:is )?(?:temporarily |currently )?not available/,
    class: 'transient_failure',
  },
  {
    id: 'words/encryption',
    words: /\btls\b|starttls|encrypt|certificate/,
    except: /temporar/,
    class: 'bad_configuration',
  },
  {
    id: 'words/client',
    words: any(
      /(?<!to )\bsender|\bsending\b|(?:mails?|messages?|originating|coming|sent|connections?) from\b/,
      /\bfrom:? (?:address|header|field|domain|your)|return.?path|reply-to/,
      /\bdns\b(?! domain)|dnssec|\bmx records|host ?name(?!=)|\bclient\b/,
      /\bip(?:v[46])?\b/,
      /\byour? (?:are|ip|host|server|domain|network|mta|isp|provider|system|access|account|address|e-?mail address|connection|mail server|envelope)/,
      /authenti|authori[sz]|\blog ?in\b|password|credential|\btls\b/,
      /(?<!(?:rcpt|recipient|address) |un)verif|permission|pre-approved/,
    ),
    except: /temporary dmarc/,
    class: 'policy_related',
    bounce: UNDETERMINED,
  },
  {
    id: 'words/recipient-busy',
    code: '4',
    words: /(?:recipient|mail ?box|user|address)\b[^.;]{0,40}(?:temporar|busy|verification in progress|unverified)/,
    class: 'transient_failure',
    about: 'recipient',
    means: 'later',
  },
  {
    id: 'words/name-servers',
    words: /\bdns\b|name ?server (?:reply|timeout|error|failure)/,
    class: 'dns_failure',
  },
  {
    id: 'words/expired',
    words: /(?:message|mail|delivery|envelope|time)\b[^.;]{0,20}\bexpired|multiple retries/,
    class: 'message_expired',
  },
  {
    id: 'words/connection',
    words: /time.?out|timed out|not respond|no route|unreachable|not reachable|connect|connexion/,
    class: 'bad_connection',
  },
  {
    id: 'words/trouble',
    words: any(
      /temporar|try (?:again|later)|again later|\blater\b|delayed/,
      /(?<!\(delivery )attempts|long (?:time|failure)|resolve\b/,
      /\bqueue/,
      /server (?:error|failure|configuration|busy|problem)|service (?:\w+ )?(?:not |un)available/,
      /internal (?:server|software|error|problem)|\blocal (?:error|problem)/,
      /system (?:error|failure|problem|not)|configur|config error|overload|busy|resources/,
      /command (?:died|failed|not|unrecogni)|mailer error|being processed|not been collected/,
    ),
    class: 'transient_failure',
  },
  ...ADDRESS_RULES,
]
