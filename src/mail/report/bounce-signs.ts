import type { ParsedMail } from '../parsed.ts'

const MACHINE =
  /mailer[-_ ]?daemon|post[-_ ]?master|mail ?delivery|mail ?daemon|delivery (?:sub)?system|mail (?:system|administrator|transport)|microsoft ?exchange|system administrator|\bmdaemon|smtp[ _-]?(?:gateway|mail|server|service)|bounce(?:s|d|handler)?@|\bmailadmin/i

// Sentences that only programs say.
const INTRODUCTION =
  /this is the (?:\S{1,60} ){1,4}(?:program )?at \S|this message was created automatically by (?:the )?(?:mail|smtp)|this is (?:a|an) (?:automatically|auto-)(?:\w+ )?generated delivery|i'm sorry to have to inform you|^\W{0,8}(?:your|the following) (?:message|mail|e-?mail)\b[^.!?]{0,80}\s(?:could not|couldn't|can ?not|was not) be(?:en)? delivered/im

const FAILURE =
  /undeliver|non-?deliver|nondeliver|not (?:yet )?(?:be(?:en)? )?deliver|n't (?:be )?deliver|deliver(?:y|ed)? (?:status|failure|failed|has failed|problems?|errors?|warning|report|notification|unsuccessful|delayed|incomplete)|deliver(?:y|ed)? to|fail(?:ed|ure)? (?:to deliver|deliver|mail|notice|permanently)|return(?:ed|ing) (?:mail|message|to sender|because)|mail (?:delivery|system) (?:fail|error|problem)|unable to (?:deliver|send|relay|reach)|could(?: not|n't) (?:deliver|send|be (?:sent|reached|processed|found))|cannot be (?:delivered|reached|sent)|did not reach|not reach|\breject|postponed|bounced|user (?:unknown|not found|does)|not a valid (?:user|recipient|address|mailbox)|unknown (?:user|recipient|address)|no such (?:user|address|mailbox|recipient)|(?:permanent|fatal) (?:fatal )?(?:error|failure)|mailbox (?:is )?(?:full|unavailable|not found|disabled)|over quota|message (?:\S{1,60} )?delayed|unzustellbar|nicht zugestellt|non remis|no se (?:puede|pudo|ha podido) entregar|onbestelbaar|mancat[ao] (?:recapito|consegna)|não (?:entregue|pôde)|не (?:доставлен|удалось)|配信不能|無法(?:傳|传)?(?:遞|递|送)|无法(?:投递|送达)|退信/i

const MAX_SCAN_LENGTH = 16_384

export function isFromMachine({ from, headers }: ParsedMail): boolean {
  if (MACHINE.test(from)) return true
  return headers.some(
    ({ name, value }) =>
      (name === 'return-path' && (value.replace(/\s/g, '') === '<>' || MACHINE.test(value))) ||
      (name === 'sender' && MACHINE.test(value)),
  )
}

/** Whether the mail is by a program that delivers mail, and about mail that was not delivered. */
export function saysUndelivered(mail: ParsedMail, prose: string): boolean {
  const beginning = prose.slice(0, MAX_SCAN_LENGTH)
  if (!isFromMachine(mail) && !INTRODUCTION.test(beginning)) return false
  return FAILURE.test(mail.subject ?? '') || FAILURE.test(beginning)
}
