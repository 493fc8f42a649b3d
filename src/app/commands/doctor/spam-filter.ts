import { spamFilterOf } from '../../../adapters/spam-filter/spam-filter.ts'
import { type CheckInput, type Finding, fault, fine } from './finding.ts'

const MESSAGE = Buffer.from('From: doctor@example.com\r\nTo: doctor@example.com\r\nSubject: Hello\r\n\r\nHello\r\n')

/** Lets the spam filter look at a small mail, as checks of messages do. */
export async function checkSpamFilter({ config }: CheckInput): Promise<Finding[]> {
  const filter = spamFilterOf(config)
  if (!filter) return []
  const outcome = await filter.scoreOf(MESSAGE)
  if (outcome.kind === 'scored')
    return [fine('spam_filter', `Spam filter: answers. ${outcome.score.threshold} points are spam.`)]
  return [fault('spam_filter', `The spam filter gives no score: ${outcome.reason}. Is POSTWREN_SPAMD_URL right?`)]
}
