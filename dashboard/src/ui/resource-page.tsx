import { type ReactNode, useState } from 'react'
import type { TObject } from 'typebox'
import type { IdBeginning, Item, ListId } from '../api.ts'
import { useAct } from './act.ts'
import { endpointBeside, useAllowed } from './allowed.tsx'
import { Button } from './button.tsx'
import { CursorList, type CursorListProps } from './cursor-list.tsx'
import { Confirm, Dialog } from './dialog.tsx'
import { FilterBar, type FilterBarProps } from './filter-bar.tsx'
import { isFiltered } from './filter-values.ts'
import type { IconName } from './icons.tsx'
import { Menu, type MenuItem } from './menu.tsx'
import { useNewFromAddress } from './new-from-address.ts'
import { NoResults } from './no-results.tsx'
import { Page } from './page.tsx'
import { type FieldName, type FormOf, SchemaForm, type ValuesOf } from './schema-form.tsx'
import { useSearchParams } from './search-params.ts'
import { Empty } from './states.tsx'
import { texts } from './texts.ts'

interface CreateForm<Shape extends TObject, Name extends FieldName<Shape>, Created> extends FormOf<Shape, Name> {
  readonly act?: string
  run(values: ValuesOf<Shape, Name>): Promise<Created>
  /** Behind the fields: what no schema makes a field of. */
  readonly children?: ReactNode
  readonly onCreated?: (created: Created) => void
}

interface EditForm<One, Shape extends TObject, Name extends FieldName<Shape>> extends FormOf<Shape, Name> {
  run(item: One, values: ValuesOf<Shape, Name>): Promise<unknown>
}

interface Removal<One> {
  /** What follows from it. */
  readonly note: string
  readonly word?: keyof typeof texts.resource.removal
  run(item: One): Promise<unknown>
}

interface ResourcePageProps<
  Id extends ListId,
  New extends TObject,
  NewName extends FieldName<New>,
  Created,
  Changes extends TObject,
  ChangedName extends FieldName<Changes>,
> extends Pick<CursorListProps<Id>, 'list' | 'input' | 'columns' | 'pageOfOne' | 'refetchInterval'> {
  readonly title: string
  /** One of them: `topic`. */
  readonly one: string
  readonly icon: IconName
  /** What they are for, to those who have none yet. */
  readonly about: ReactNode
  readonly nameOf: (item: Item<Id>) => string
  readonly create?: CreateForm<New, NewName, Created>
  readonly edit?: EditForm<Item<Id>, Changes, ChangedName>
  readonly remove?: Removal<Item<Id>>
  /** Whether one of them may be changed and deleted, where that is not the same for all. */
  readonly mayChange?: (item: Item<Id>) => boolean
  /** What else can be done with one of them. */
  readonly acts?: (item: Item<Id>) => readonly MenuItem[]
  /** What the list is searched and filtered by. */
  readonly filterBar?: FilterBarProps
  /** What can be done with many at once. */
  readonly bulk?: CursorListProps<Id>['bulk']
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `topics`, but `API keys`. */
const lowerFirst = (text: string) => (/^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1))

type Open<One> = { readonly what: 'create' } | { readonly what: 'edit' | 'remove'; readonly item: One } | null

/** A resource that is a list of small things: look, add, change, delete. Its schemas make its forms. */
export function ResourcePage<
  Id extends ListId,
  New extends TObject,
  const NewName extends FieldName<New>,
  Created,
  Changes extends TObject,
  const ChangedName extends FieldName<Changes>,
>(props: ResourcePageProps<Id, New, NewName, Created, Changes, ChangedName>) {
  const {
    title,
    one,
    icon,
    list,
    input,
    columns,
    pageOfOne,
    create,
    edit,
    remove,
    acts,
    nameOf,
    mayChange = () => true,
  } = props
  const [open, setOpen] = useState<Open<Item<Id>>>(null)
  const { words } = useSearchParams()
  const isAllowed = useAllowed()
  const refresh = [list.slice(0, list.indexOf('.')) as IdBeginning]
  const ids = {
    create: endpointBeside(list, 'create', 'add'),
    update: endpointBeside(list, 'update'),
    remove: endpointBeside(list, 'remove'),
  }
  useNewFromAddress(() => create && (!ids.create || isAllowed(ids.create)) && setOpen({ what: 'create' }))
  const removal = texts.resource.removal[remove?.word ?? 'Delete']
  const many = lowerFirst(title)
  const close = () => setOpen(null)
  const adding = useAct({
    run: (values: ValuesOf<New, NewName>) => create!.run(values),
    refresh,
    done: texts.resource.created(upperFirst(one)),
  })
  const changing = useAct({
    run: ({ item, values }: { item: Item<Id>; values: ValuesOf<Changes, ChangedName> }) => edit!.run(item, values),
    refresh,
    done: texts.resource.saved,
  })
  const removing = useAct({
    run: (item: Item<Id>) => remove!.run(item),
    refresh,
    done: removal.done(upperFirst(one)),
  })
  const menuOf = (item: Item<Id>): MenuItem[] => [
    ...(acts?.(item) ?? []),
    ...(edit && mayChange(item)
      ? [{ label: texts.resource.edit, needs: ids.update, onChoose: () => setOpen({ what: 'edit', item }) }]
      : []),
    ...(remove && mayChange(item)
      ? [
          {
            label: removal.act,
            needs: ids.remove,
            isDangerous: true,
            onChoose: () => setOpen({ what: 'remove', item }),
          },
        ]
      : []),
  ]
  const addButton = create && (
    <Button
      look="primary"
      icon="plus"
      {...(ids.create && { needs: ids.create })}
      onClick={() => setOpen({ what: 'create' })}
    >
      {create.act ?? texts.resource.add(one)}
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
      {props.filterBar && <FilterBar {...props.filterBar} />}
      <CursorList
        label={many}
        list={list}
        input={input}
        columns={[
          ...columns,
          ...(edit || remove || acts
            ? [
                {
                  name: texts.resource.actions,
                  kind: 'end' as const,
                  cell: (item: Item<Id>) => (
                    <Menu label={texts.resource.actionsFor(nameOf(item))} items={menuOf(item)} />
                  ),
                },
              ]
            : []),
        ]}
        {...(pageOfOne && { pageOfOne })}
        nameOf={nameOf}
        {...(props.bulk && { bulk: props.bulk })}
        {...(props.refetchInterval && { refetchInterval: props.refetchInterval })}
        empty={
          props.filterBar && isFiltered(props.filterBar, words) ? (
            <NoResults many={many} filters={props.filterBar} />
          ) : (
            <Empty icon={icon} title={texts.resource.empty(many)}>
              <p className="muted">{props.about}</p>
            </Empty>
          )
        }
      />
      {create && (
        <Dialog title={create.act ?? texts.resource.add(one)} isOpen={open?.what === 'create'} onClose={close}>
          <SchemaForm
            shape={create.shape}
            fields={create.fields}
            act={create.act ?? texts.resource.add(one)}
            onSubmit={async (values) => {
              const created = await adding.mutateAsync(values)
              close()
              create.onCreated?.(created)
            }}
          >
            {create.children}
          </SchemaForm>
        </Dialog>
      )}
      {edit && (
        <Dialog title={texts.resource.editTitle(one)} isOpen={open?.what === 'edit'} onClose={close}>
          {chosen && (
            <SchemaForm
              shape={edit.shape}
              fields={edit.fields}
              initial={chosen as unknown as Record<string, unknown>}
              act={texts.resource.save}
              onSubmit={(values) => changing.mutateAsync({ item: chosen, values }).then(close)}
            />
          )}
        </Dialog>
      )}
      <Confirm
        title={chosen ? removal.title(nameOf(chosen)) : ''}
        note={remove?.note ?? ''}
        act={removal.confirm(one)}
        isOpen={open?.what === 'remove'}
        onClose={close}
        onConfirm={() => removing.mutateAsync(chosen!)}
      />
      {props.children}
    </Page>
  )
}
