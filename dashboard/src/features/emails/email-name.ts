import type { Item } from '../../api.ts'
import { texts } from './texts.ts'

/** What an email of the list is called where only its name is said. */
export const emailName = ({ subject, to }: Item<'emails.list'>) => texts.nameOf(subject || texts.noSubject, to[0] ?? '')
