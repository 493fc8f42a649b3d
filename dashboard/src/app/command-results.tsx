import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import type { Item } from '../api.ts'
import { useCall } from '../queries.ts'
import { useDebounced } from '../ui/debounced.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import type { PageOfOne } from '../ui/search-params.ts'
import { findObjects, isId, isSecret } from './find-object.ts'
import { usePermissions } from './permissions.ts'
import { texts } from './texts.ts'

const PAUSE_MS = 200
const MIN_LENGTH = 2
const MAX_RESULTS = 5

interface ResultsProps {
  readonly text: string
  readonly onOpen: (to: PageOfOne, id: string) => void
}

/** What the service finds: by an id, by the end of a key, or by words. */
export function CommandResults({ text, onOpen }: ResultsProps) {
  const wanted = useDebounced(text.trim(), PAUSE_MS)
  if (isId(wanted)) return <ById id={wanted} onOpen={onOpen} />
  if (isSecret(wanted)) return <ByKey token={wanted} onOpen={onOpen} />
  return wanted.length < MIN_LENGTH ? null : <ByWords text={wanted} onOpen={onOpen} />
}

function ById({ id, onOpen }: { id: string; onOpen: ResultsProps['onOpen'] }) {
  const may = usePermissions()
  const found = useQuery({ queryKey: ['find-object', id], queryFn: () => findObjects(id, may), retry: false })
  if (found.isPending) return <Command.Loading>{texts.found.lookingUpId}</Command.Loading>
  return (
    <Command.Group heading={texts.found.byId}>
      {found.data?.map(({ kind, icon, title, to, id: one }) => (
        <Result
          key={to}
          value={`${to} ${one}`}
          icon={icon}
          title={title}
          note={kind}
          onSelect={() => onOpen(to, one)}
        />
      ))}
      {found.data?.length === 0 && <p className="command-none">{texts.found.unknownId}</p>}
    </Command.Group>
  )
}

/** Only the end of a key is known; the key itself stays in the browser. */
function ByKey({ token, onOpen }: { token: string; onOpen: ResultsProps['onOpen'] }) {
  const { data } = useCall('api-keys.details.list', { limit: 100 })
  const keys = data?.data.filter(({ token_end }) => token_end && token.endsWith(token_end)) ?? []
  return (
    <Command.Group heading={texts.navigation.apiKeys}>
      {keys.map(({ id, name }) => (
        <Result
          key={id}
          value={id}
          icon="key"
          title={name || texts.found.noName}
          note={texts.objects.apiKey}
          onSelect={() => onOpen('/api-keys/$id', id)}
        />
      ))}
      {data && keys.length === 0 && <p className="command-none">{texts.found.unknownApiKey}</p>}
    </Command.Group>
  )
}

function ByWords({ text, onOpen }: { text: string; onOpen: ResultsProps['onOpen'] }) {
  const input = { q: text, limit: MAX_RESULTS }
  const options = { placeholderData: keepPreviousData }
  const contacts = useCall('contacts.list', input, options)
  const emails = useCall('emails.list', input, options)
  const received = useCall('emails.receiving.list', input, options)
  const broadcasts = useCall('broadcasts.list', input, options)
  const templates = useCall('templates.list', input, options)
  return (
    <>
      <Group heading={texts.found.contacts} items={contacts.data?.data}>
        {({ id, email, first_name, last_name }) => (
          <Result
            value={`contact ${id}`}
            icon="person"
            title={email}
            note={[first_name, last_name].filter(Boolean).join(' ')}
            onSelect={() => onOpen('/contacts/$id', id)}
          />
        )}
      </Group>
      <Group heading={texts.found.sentEmails} items={emails.data?.data}>
        {({ id, subject, to }) => (
          <Result
            value={`email ${id}`}
            icon="send"
            title={subject || texts.found.noSubject}
            note={to[0]}
            onSelect={() => onOpen('/emails/$id', id)}
          />
        )}
      </Group>
      <Group heading={texts.found.receivedEmails} items={received.data?.data}>
        {({ id, subject, from }) => (
          <Result
            value={`received ${id}`}
            icon="inbox"
            title={subject || texts.found.noSubject}
            note={from}
            onSelect={() => onOpen('/received/$id', id)}
          />
        )}
      </Group>
      <Group heading={texts.navigation.broadcasts} items={broadcasts.data?.data}>
        {({ id, name, status }) => (
          <Result
            value={`broadcast ${id}`}
            icon="megaphone"
            title={name}
            note={status}
            onSelect={() => onOpen('/broadcasts/$id', id)}
          />
        )}
      </Group>
      <Group heading={texts.navigation.templates} items={templates.data?.data}>
        {({ id, name, alias }) => (
          <Result
            value={`template ${id}`}
            icon="page"
            title={name}
            note={alias}
            onSelect={() => onOpen('/templates/$id', id)}
          />
        )}
      </Group>
    </>
  )
}

type Named = Item<'contacts.list'> | { readonly id: string }

interface GroupProps<One extends Named> {
  readonly heading: string
  readonly items: readonly One[] | undefined
  readonly children: (item: One) => React.ReactNode
}

const Group = <One extends Named>({ heading, items, children }: GroupProps<One>) =>
  items && items.length > 0 ? (
    <Command.Group heading={heading}>
      {items.map((item) => (
        <div key={item.id}>{children(item)}</div>
      ))}
    </Command.Group>
  ) : null

interface ResultProps {
  readonly value: string
  readonly icon: IconName
  readonly title: string
  readonly note?: string | null | undefined
  readonly onSelect: () => void
}

const Result = ({ value, icon, title, note, onSelect }: ResultProps) => (
  <Command.Item value={value} onSelect={onSelect}>
    <Icon name={icon} />
    <span className="command-title">{title}</span>
    {note && <small className="muted">{note}</small>}
  </Command.Item>
)
