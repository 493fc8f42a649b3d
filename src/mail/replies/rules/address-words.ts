import { any, type ReplyRule } from '../reply-rule.ts'

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
export const ADDRESS_RULES: readonly ReplyRule[] = [
  {
    id: 'words/unknown-user',
    class: 'invalid_recipient',
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
    id: 'words/unknown-domain',
    class: 'bad_domain',
    words: any(
      /no such (?:domain|host)|\bunknown (?:mail )?(?:host|domain)/,
      /(?:host|domain)(?: name)?(?: \S{1,253})? (?:not found|unknown|is unknown|(?:does not|doesn't) exist|must exist|may not exist)/,
      /nonexistent domain/,
      /(?:domain|host|mail) (?:\S{1,80} )?(?:does not|doesn't) accept (?:any )?(?:e-?)?mail/,
      /name or service not known|unroute?able address|domain (?:mentioned )?[^.;]{0,30}\bunknown/,
    ),
  },
  {
    id: 'words/disabled',
    class: 'inactive_mailbox',
    words: any(
      String.raw`${WHO}[^.;]{0,60}\b${IS_DISABLED}\b`,
      String.raw`\b${IS_DISABLED}(?: e-?mail)? (?:mailbox|account|user|recipient|address)|extended inactivity`,
      /boite du destinataire archivee/,
    ),
  },
]

/** The words of RFC 5321 for "not here", which servers also say for other reasons: they count where no code says something else. */
export const REFUSED_RECIPIENT = any(
  /mail ?box (?:\S{1,80} )?(?:is )?(?:(?:currently )?unavailable|(?:currently )?not available)/,
  /no mail ?box available/,
  /(?:recipients?(?: address(?:es)?)?|rcpt)(?: <?@>?)?(?: was| were| is| has been)? (?:rejected|refused(?! to)|not accepted)/,
  /(?:recipient|rcpt|user)(?: <?@>?)? not ok\b|rejected recipients|user (?:is )?(?:unavailable|not available)|unable to receive/,
)
