import { systemMailBody } from '../../people/mail.ts'
import type { Finding } from './finding.ts'

/** What one examination of the installation has found that the one before had not. */
export interface InstallationChange {
  readonly broken: readonly Finding[]
  readonly recovered: readonly Finding[]
  /** How many there are now, those from before as well. */
  readonly problems: number
}

/** When everything breaks, a mail can still be read. */
const MAX_LISTED = 40

/** One mail with all that has changed, however much it is. */
export function changeMail({ broken, recovered, problems }: InstallationChange, at: { host: string; link: string }) {
  const subjects = [
    ...(broken.length > 0 ? [`${counted(broken.length, 'new problem')}`] : []),
    ...(recovered.length > 0 ? [`${counted(recovered.length, 'problem')} resolved`] : []),
  ]
  const all = [
    ...broken.map(({ message }) => `Problem: ${message}`),
    ...recovered.map(({ message }) => `Resolved: ${message}`),
  ]
  const more = all.length - MAX_LISTED
  const lines = [
    ...all.slice(0, MAX_LISTED),
    ...(more > 0 ? [`And ${more} more, which are in the log.`] : []),
    problems > 0
      ? `${counted(problems, 'open problem')} of this installation. It is examined again every hour.`
      : 'This installation has no open problem.',
  ]
  return {
    subject: `${at.host}: ${subjects.join(', ')}`,
    ...systemMailBody({
      lines,
      act: 'Open the dashboard',
      link: at.link,
      foot: 'You get this email because you are an operator of this installation.',
    }),
  }
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
