import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CreateInbox, UpdateInbox } from '../../../../src/features/inboxes/schema.ts'
import { call, type Item } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'
import { InboxDialog } from './inbox-dialog.tsx'
import { LabelsDialog } from './labels-dialog.tsx'

type Inbox = Item<'inboxes.list'>

/** The mailboxes: which there are, and how each is set up. */
export function InboxesPage() {
  const navigate = useNavigate()
  const domains = useCall('domains.list', { limit: 100 })
  const [shown, setShown] = useState<string | null>(null)
  const [labelled, setLabelled] = useState<string | null>(null)
  const openMail = (inbox: string) => navigate({ to: '/inboxes/$inbox', params: { inbox } })
  return (
    <ResourcePage
      title="Inboxes"
      one="inbox"
      icon="mail"
      about="An inbox is an address whose mail you read and answer here, in threads, alone or with your team. Programs use it by the API."
      list="inboxes.list"
      input={{}}
      nameOf={nameOf}
      columns={[
        {
          name: 'Inbox',
          kind: 'main',
          cell: (inbox) => (
            <Link to="/inboxes/$inbox" params={{ inbox: inbox.id }}>
              <strong>{nameOf(inbox)}</strong>
            </Link>
          ),
        },
        { name: 'Address', cell: ({ email_address }) => email_address },
        { name: 'Unread', cell: ({ unread }) => (unread > 0 ? <strong>{unread.toLocaleString('en')}</strong> : '–') },
        { name: 'Last received', kind: 'aside', cell: ({ last_received }) => <Time at={last_received} /> },
      ]}
      create={{
        shape: CreateInbox,
        fields: [
          {
            name: 'email_address',
            label: 'Address',
            hint: 'Of a domain of yours that receives mail.',
            placeholder: 'support@example.com',
            offers: (domains.data?.data ?? []).map(({ name }) => `support@${name}`),
          },
          { name: 'name', label: 'Name', hint: 'As it is called here. Unless given: what stands before the @.' },
          { name: 'from_name', label: 'Sender’s name', hint: 'Beside the address in mail from this inbox.' },
          {
            name: 'forwarding',
            label: 'Mail comes to another server',
            hint: 'Which forwards it to an address that you get: the domain need not receive mail here.',
          },
        ],
        run: async (body) => ({ ...(await call('inboxes.create', { body })), isForwarding: body.forwarding === true }),
        onCreated: ({ id, isForwarding }) => (isForwarding ? setShown(id) : void openMail(id)),
      }}
      edit={{
        shape: UpdateInbox,
        fields: [
          { name: 'name', label: 'Name' },
          { name: 'from_name', label: 'Sender’s name', hint: 'Beside the address in mail from this inbox.' },
        ],
        run: ({ id }, body) => call('inboxes.update', { inbox: id, body: { from_name: null, ...body } }),
      }}
      acts={({ id }) => [
        { label: 'Open', onChoose: () => void openMail(id) },
        { label: 'Set-up', onChoose: () => setShown(id) },
        { label: 'Labels', needs: 'inboxes.labels.create', onChoose: () => setLabelled(id) },
        {
          label: 'Agent',
          needs: 'inboxes.agent.get',
          onChoose: () => void navigate({ to: '/inboxes/$inbox/agent', params: { inbox: id } }),
        },
      ]}
      remove={{
        note: 'Its threads, labels and drafts go with it. The emails stay among the received and the sent ones.',
        run: ({ id }) => call('inboxes.remove', { inbox: id }),
      }}
    >
      <InboxDialog inbox={shown} onClose={() => setShown(null)} />
      <LabelsDialog inbox={labelled ?? ''} isOpen={labelled !== null} onClose={() => setLabelled(null)} />
    </ResourcePage>
  )
}

const nameOf = ({ name, email_address }: Inbox) => name || email_address
