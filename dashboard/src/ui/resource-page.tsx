import { type ReactNode, useState } from 'react'
import type { TObject } from 'typebox'
import { api } from '../api.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { type Column, CursorList } from './cursor-list.tsx'
import { Confirm, Dialog } from './dialog.tsx'
import type { IconName } from './icons.tsx'
import { Menu, type MenuItem } from './menu.tsx'
import { Page } from './page.tsx'
import { type FormField, SchemaForm } from './schema-form.tsx'
import { Empty } from './states.tsx'

interface Form {
  readonly shape: TObject
  readonly fields: readonly FormField[]
}

interface ResourcePageProps<Item, Created> {
  readonly title: string
  /** One of them: `topic`. */
  readonly one: string
  readonly icon: IconName
  /** What they are for, to those who have none yet. */
  readonly about: ReactNode
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /** An empty list then says that nothing fits, not that there is nothing. */
  readonly isFiltered?: boolean
  readonly columns: readonly Column<Item>[]
  readonly linkTo?: (item: Item) => string
  readonly nameOf: (item: Item) => string
  readonly create?: Form & { readonly act?: string }
  readonly onCreated?: (created: Created) => void
  readonly edit?: Form
  /** What was filled in, as the API takes it; what is changed is given too. */
  readonly prepare?: (values: Record<string, unknown>, changed: Item | null) => Record<string, unknown>
  /** What follows from deleting one. */
  readonly deleting?: string
  readonly deleteWord?: string
  readonly filters?: ReactNode
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

type Open<Item> = { readonly what: 'create' } | { readonly what: 'edit' | 'delete'; readonly item: Item } | null

/** A resource that is a list of small things: look, add, change, delete. Its schemas make its forms. */
export function ResourcePage<Item extends { id: string }, Created = { id: string }>(
  props: ResourcePageProps<Item, Created>,
) {
  const { title, one, icon, path, columns, create, edit, deleting, deleteWord = 'Delete', nameOf } = props
  const { prepare = (values) => values } = props
  const [open, setOpen] = useState<Open<Item>>(null)
  const key = path.slice(1)
  const close = () => setOpen(null)
  const add = useAct({
    run: (values: object) => api.post<Created>(path, values),
    refresh: [key],
    done: `The ${one} is there`,
  })
  const change = useAct({
    run: ({ id, values }: { id: string; values: object }) => api.patch(`${path}/${id}`, values),
    refresh: [key],
    done: 'Saved',
  })
  const remove = useAct({
    run: (id: string) => api.delete(`${path}/${id}`),
    refresh: [key],
    done: `The ${one} is gone`,
  })
  const menuOf = (item: Item): MenuItem[] => [
    ...(edit ? [{ label: 'Edit', onChoose: () => setOpen({ what: 'edit', item }) }] : []),
    ...(deleting !== undefined
      ? [{ label: deleteWord, isDangerous: true, onChoose: () => setOpen({ what: 'delete', item }) }]
      : []),
  ]
  const addButton = create && (
    <Button look="primary" icon="plus" onClick={() => setOpen({ what: 'create' })}>
      {create.act ?? `Add ${one}`}
    </Button>
  )
  const chosen = open && open.what !== 'create' ? open.item : null
  return (
    <Page
      title={title}
      actions={
        <>
          {props.actions}
          {addButton}
        </>
      }
    >
      {props.filters}
      <CursorList<Item>
        label={title.toLowerCase()}
        queryKey={[key]}
        path={path}
        columns={[
          ...columns,
          ...(edit || deleting !== undefined
            ? [
                {
                  name: 'Actions',
                  kind: 'end' as const,
                  cell: (item: Item) => <Menu label={`Actions for ${nameOf(item)}`} items={menuOf(item)} />,
                },
              ]
            : []),
        ]}
        {...(props.query && { query: props.query })}
        {...(props.linkTo && { linkTo: props.linkTo })}
        empty={
          props.isFiltered ? (
            <Empty icon={icon} title={`No ${one} fits this filter`} />
          ) : (
            <Empty icon={icon} title={`No ${title.toLowerCase()} yet`}>
              <p className="muted">{props.about}</p>
            </Empty>
          )
        }
      />
      {create && (
        <Dialog title={create.act ?? `Add ${one}`} isOpen={open?.what === 'create'} onClose={close}>
          <SchemaForm
            shape={create.shape}
            fields={create.fields}
            act={create.act ?? `Add ${one}`}
            onSubmit={async (values) => {
              const created = await add.mutateAsync(prepare(values, null))
              close()
              props.onCreated?.(created)
            }}
          />
        </Dialog>
      )}
      {edit && (
        <Dialog title={`Edit ${one}`} isOpen={open?.what === 'edit'} onClose={close}>
          {chosen && (
            <SchemaForm
              shape={edit.shape}
              fields={edit.fields}
              initial={chosen as unknown as Record<string, unknown>}
              act="Save"
              onSubmit={(values) => change.mutateAsync({ id: chosen.id, values: prepare(values, chosen) }).then(close)}
            />
          )}
        </Dialog>
      )}
      <Confirm
        title={chosen ? `${deleteWord} “${nameOf(chosen)}”?` : ''}
        note={deleting ?? ''}
        act={`${deleteWord} it`}
        isOpen={open?.what === 'delete'}
        onClose={close}
        onConfirm={() => remove.mutateAsync(chosen!.id)}
      />
      {props.children}
    </Page>
  )
}
