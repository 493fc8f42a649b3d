import { keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { useCall } from '../../../queries.ts'
import { useAllowed } from '../../../ui/allowed.tsx'
import { useDebounced } from '../../../ui/debounced.ts'
import { isMailbox, mailboxKey, nameIn, withoutRepeated } from './mailboxes.ts'

const MOST = 6
const TYPING_MS = 200
const EVERYWHERE = 'inbox,archive,sent'

interface People {
  readonly from?: string | null
  readonly to?: readonly string[]
  readonly cc?: readonly string[]
}

/** As lists of threads are kept, and those of the emails of a thread. */
interface SeenList {
  readonly threads?: readonly People[]
  readonly pages?: readonly { readonly data: readonly People[] }[]
}

const peopleOf = ({ from, to = [], cc = [] }: People) => [...(from ? [from] : []), ...to, ...cc]

/** Whether a word of the name or the address begins like this; whole addresses are found by any part. */
export function isMeant(mailbox: string, text: string): boolean {
  const part = text.trim().toLowerCase()
  const name = nameIn(mailbox).toLowerCase()
  return part !== '' && (mailboxKey(mailbox).includes(part) || name.includes(part))
}

/**
 * People of the inbox that may be meant: those in the mail that this page has read already, and those whom a search finds. The search knows
 * everybody who ever wrote or was written to.
 */
export function useSuggestions(inbox: string, text: string, present: readonly string[]): readonly string[] {
  const queries = useQueryClient()
  const isAllowed = useAllowed()
  const asked = useDebounced(text.trim().replace(/[,%]/g, ' ').trim(), TYPING_MS)
  const options = {
    enabled: asked.length > 1 && isAllowed('inboxes.threads.search'),
    placeholderData: keepPreviousData,
  }
  const search = { inbox, folders: EVERYWHERE, limit: 10 }
  const from = useCall('inboxes.threads.search', { ...search, from: asked }, options)
  const to = useCall('inboxes.threads.search', { ...search, to: asked }, options)
  if (text.trim() === '') return []
  const seen = queries
    .getQueriesData<SeenList>({ predicate: ({ queryKey }) => isList(queryKey[0]) })
    .flatMap(([, list]) => [...(list?.threads ?? []), ...(list?.pages ?? []).flatMap(({ data }) => data)])
  const found = [...(from.data?.data ?? []), ...(to.data?.data ?? [])]
  const people = [...found, ...seen].flatMap(peopleOf).filter((one) => isMailbox(one) && isMeant(one, text))
  // With a name it is known better than without.
  return withoutRepeated(
    [...people].sort((a, b) => Number(b.includes('<')) - Number(a.includes('<'))),
    present,
  ).slice(0, MOST)
}

const isList = (id: unknown) => id === 'inboxes.threads.list' || id === 'inboxes.threads.emails.list'
