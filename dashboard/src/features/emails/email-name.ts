import type { Item } from '../../api.ts'
import { texts } from './texts.ts'

/** Names an email to screen readers and in lists of failures. */
export const emailName = ({ subject, to }: Item<'emails.list'>) => texts.nameOf(subject || texts.noSubject, to[0] ?? '')
