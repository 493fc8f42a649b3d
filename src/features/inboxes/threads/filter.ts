import type { Static } from 'typebox'
import type { Queryable } from '../../../kernel/db/database.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { isId } from '../../../platform/ids.ts'
import type { Folder } from '../filing/folders.ts'
import { requireLabels } from '../labels/actions.ts'
import { MOST_LABELS } from '../labels/schema.ts'
import { FOLDERS, type ThreadFilter } from './schema.ts'

/** Which threads are wanted. */
export interface ThreadChoice {
  readonly folders: readonly Folder[]
  /** One of them; none: whatever labels it has. */
  readonly labels: readonly string[]
  /** Undefined: both. */
  readonly isRead?: boolean
}

/** What is looked at unless somebody says where: with labels, or for a search, all that is not junk. */
const USUAL: readonly Folder[] = ['inbox']
export const ALL_BUT_JUNK: readonly Folder[] = ['inbox', 'archive', 'sent']

export async function readThreadFilter(
  db: Queryable,
  { team, inbox }: { team: string; inbox: string },
  filter: Static<typeof ThreadFilter>,
  otherwise?: readonly Folder[],
): Promise<ThreadChoice> {
  const labels = readLabels(filter.labels)
  await requireLabels(db, { team, inbox }, labels)
  return {
    folders: readFolders(filter.folders) ?? otherwise ?? (labels.length > 0 ? ALL_BUT_JUNK : USUAL),
    labels,
    ...(filter.read !== undefined && { isRead: filter.read === 'true' }),
  }
}

/** `inbox,sent` of a query. An empty list is none: clients make one of an empty array. */
function readFolders(text: string | undefined): Folder[] | undefined {
  const words = wordsOf(text)
  if (words.length === 0) return undefined
  const chosen = FOLDERS.filter((folder) => words.includes(folder))
  if (words.every((word) => (FOLDERS as readonly string[]).includes(word))) return chosen
  throw new Problem('invalid_parameter', `The \`folders\` must be some of ${FOLDERS.join(', ')}.`)
}

function readLabels(text: string | undefined): string[] {
  const ids = [...new Set(wordsOf(text).map((id) => id.toLowerCase()))]
  if (!ids.every(isId)) throw new Problem('invalid_parameter', 'The `labels` must be ids of labels.')
  if (ids.length > MOST_LABELS)
    throw new Problem('invalid_parameter', `The \`labels\` can be ${MOST_LABELS} ids at most.`)
  return ids
}

const wordsOf = (text = ''): string[] => (text.trim() === '' ? [] : text.split(',').map((word) => word.trim()))
