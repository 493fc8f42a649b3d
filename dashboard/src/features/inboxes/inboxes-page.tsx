import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { CreateInbox, UpdateInbox } from '../../../../src/features/inboxes/schema.ts'
import { call, type Item } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { Page } from '../../ui/page.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Time } from '../../ui/time.tsx'
import { FoundThreads } from './found-threads.tsx'
import { InboxDialog } from './inbox-dialog.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import { SearchBox } from './search-box.tsx'
import { texts } from './texts.ts'

type Inbox = Item<'inboxes.list'>

/** The mailboxes: which there are, and how each is set up; or what a search finds in all of them. */
export function InboxesPage(): ReactNode {
  const { words, choose } = useSearchParams()
  const text = words.q ?? ''
  const mayRead = useAllowed()('inboxes.threads.search-all')
  return (
    <>
      {mayRead && (
        <div className="inboxes-search">
          <SearchBox
            label={texts.page.search}
            value={text}
            onSearch={(q) => void choose({ q: q || undefined })}
            labels={[]}
            people={[]}
          />
        </div>
      )}
      {text === '' ? (
        <InboxList />
      ) : (
        <Page title={texts.page.searchTitle}>
          <FoundThreads text={text} />
        </Page>
      )}
    </>
  )
}

function InboxList() {
  const navigate = useNavigate()
  const domains = useCall('domains.list', { limit: 100 })
  const [shown, setShown] = useState<string | null>(null)
  const [labelled, setLabelled] = useState<string | null>(null)
  const openMail = (inbox: string) => navigate({ to: '/inboxes/$inbox', params: { inbox } })
  return (
    <ResourcePage
      title={texts.page.title}
      one={texts.page.one}
      icon="mail"
      about={texts.page.about}
      list="inboxes.list"
      input={{}}
      nameOf={nameOf}
      columns={[
        {
          name: texts.fields.inbox,
          kind: 'title',
          cell: (inbox) => (
            <Link to="/inboxes/$inbox" params={{ inbox: inbox.id }}>
              <strong>{nameOf(inbox)}</strong>
            </Link>
          ),
        },
        { name: texts.fields.address, cell: ({ email_address }) => email_address },
        {
          name: texts.fields.unread,
          cell: ({ unread }) => (unread > 0 ? <strong>{formatNumber(unread)}</strong> : '–'),
        },
        { name: texts.fields.lastReceived, kind: 'time', cell: ({ last_received }) => <Time at={last_received} /> },
      ]}
      create={{
        shape: CreateInbox,
        fields: [
          {
            name: 'email_address',
            label: texts.fields.address,
            hint: texts.fields.addressHint,
            placeholder: texts.fields.addressPlaceholder,
            offers: (domains.data?.data ?? []).map(({ name }) => `support@${name}`),
          },
          { name: 'name', label: texts.fields.name, hint: texts.fields.nameHint },
          { name: 'from_name', label: texts.fields.senderName, hint: texts.fields.senderNameHint },
          {
            name: 'forwarding',
            label: texts.fields.isForwarded,
            hint: texts.fields.isForwardedHint,
          },
        ],
        run: async (body) => ({ ...(await call('inboxes.create', { body })), isForwarding: body.forwarding === true }),
        onCreated: ({ id, isForwarding }) => (isForwarding ? setShown(id) : void openMail(id)),
      }}
      edit={{
        shape: UpdateInbox,
        fields: [
          { name: 'name', label: texts.fields.name },
          { name: 'from_name', label: texts.fields.senderName, hint: texts.fields.senderNameHint },
        ],
        run: ({ id }, body) => call('inboxes.update', { inbox: id, body: { from_name: null, ...body } }),
      }}
      acts={({ id }) => [
        { label: texts.page.open, onChoose: () => void openMail(id) },
        { label: texts.page.settings, onChoose: () => setShown(id) },
        { label: texts.page.labels, needs: 'inboxes.labels.create', onChoose: () => setLabelled(id) },
        {
          label: texts.page.agent,
          needs: 'inboxes.agent.get',
          onChoose: () => void navigate({ to: '/inboxes/$inbox/agent', params: { inbox: id } }),
        },
      ]}
      remove={{
        note: texts.page.removeNote,
        run: ({ id }) => call('inboxes.remove', { inbox: id }),
      }}
    >
      <InboxDialog inbox={shown} onClose={() => setShown(null)} />
      <LabelsDialog inbox={labelled ?? ''} isOpen={labelled !== null} onClose={() => setLabelled(null)} />
    </ResourcePage>
  )
}

const nameOf = ({ name, email_address }: Inbox) => name || email_address
