import { serveThread } from '../../../platform/worker-threads/thread.ts'
import type { ResourceType } from '../limits.ts'
import { compose } from './compose.ts'
import { describeSchema } from './prompt.ts'
import { type Answer, DocumentRefusal } from './refusal.ts'

/** A refused document is an answer; any other error is a defect and is thrown. */
async function answering<Result>(work: () => Promise<Result> | Result): Promise<{ result: Answer<Result> }> {
  try {
    return { result: { result: await work() } }
  } catch (error) {
    if (!(error instanceof DocumentRefusal)) throw error
    return { result: { refusal: error.message } }
  }
}

// A DOM is a third of the code to load, and most documents are composed and never parsed from html.
const fromHtml = () => import('./from-html.ts')

serveThread({
  // As JSON: cloning goes as deep as the document does, and a deep one would be an exception of the sender.
  compose: ({ json, resourceType }: { json: string; resourceType: ResourceType }) =>
    answering(() => compose(JSON.parse(json), resourceType)),
  import: ({ html }: { html: string }) => answering(async () => (await fromHtml()).documentFromHtml(html)),
  paragraphs: ({ text }: { text: string }) => answering(async () => (await fromHtml()).documentFromText(text)),
  describe: () => answering(() => describeSchema()),
})
