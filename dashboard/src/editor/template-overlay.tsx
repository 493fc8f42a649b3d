import * as Radix from '@radix-ui/react-dialog'
import { useMemo, useRef, useState } from 'react'
import { call, type Reply } from '../api.ts'
import { useCall } from '../queries.ts'
import { useAct } from '../ui/act.ts'
import { useIsAllowed } from '../ui/allowed.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import type { EditorHandle } from './email-editor.tsx'
import { SaveStatus } from './email-page.tsx'
import { LazyEditor } from './lazy-editor.tsx'
import { offeredVariables } from './offered-variables.ts'
import { PreviewHead, usePreviewContact } from './preview-contact.tsx'
import { texts } from './texts.ts'
import { useEditorState } from './use-saved-fields.ts'

interface TemplateOverlayProps {
  readonly template: string
  readonly onClose: () => void
}

/** A template's email over the whole page, for who is in the middle of something else. */
export function TemplateOverlay({ template: id, onClose }: TemplateOverlayProps) {
  const template = useCall('templates.get', { idOrAlias: id })
  return (
    <Radix.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Radix.Portal>
        <Radix.Content
          className="email-overlay"
          aria-describedby={undefined}
          onEscapeKeyDown={(event) => event.preventDefault()} // it closes menus of the editor
        >
          {template.isPending && <Loading />}
          {template.isError && <Failed error={template.error} />}
          {template.data && <OverlayEditor template={template.data} onClose={onClose} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function OverlayEditor({ template, onClose }: { template: Reply<'templates.get'>; onClose: () => void }) {
  const handle = useRef<EditorHandle>(null)
  const editor = useEditorState()
  const contact = usePreviewContact()
  const isEditable = useIsAllowed('templates.update')
  const [isBusy, setBusy] = useState(false)
  const resource = useMemo(() => ({ resource_type: 'template', resource_id: template.id }) as const, [template.id])
  const variables = useMemo(() => offeredVariables({ declared: template.variables }), [template.variables])
  const idOrAlias = template.id
  const publish = useAct({
    run: () => call('templates.publish', { idOrAlias }),
    refresh: ['templates'],
    done: texts.templateDialog.published,
  })
  const leave = async (isPublished: boolean) => {
    setBusy(true)
    try {
      await handle.current?.flush()
      if (isPublished) await publish.mutateAsync()
      onClose()
    } catch {
      // What was refused is told beside the status, and what was written stays.
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <header className="email-overlay-head">
        <Radix.Title>{template.name}</Radix.Title>
        <span className="actions">
          <SaveStatus states={[editor.state]} problem={editor.problem} />
          <Button needs="templates.publish" look="primary" isBusy={isBusy} onClick={() => leave(true)}>
            {texts.templateDialog.publish}
          </Button>
          <IconButton icon="close" label={texts.templateDialog.close} disabled={isBusy} onClick={() => leave(false)} />
        </span>
      </header>
      <LazyEditor
        resource={resource}
        html={template.html}
        saveHtml={(html) => call('templates.update', { idOrAlias, body: { html } })}
        isEditable={isEditable}
        variables={variables}
        fill={(html) => contact.read({ subject: '', html, text: null }).html ?? ''}
        previewHead={
          <PreviewHead
            contact={contact}
            subject={contact.read({ subject: template.subject ?? '', html: null, text: null }).subject}
          />
        }
        handle={handle}
        onSaveState={editor.onSaveState}
      />
    </>
  )
}
