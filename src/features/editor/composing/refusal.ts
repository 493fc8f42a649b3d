/** What is wrong with a document, for whoever sent it. */
export class DocumentRefusal extends Error {}

/** What a task of the editor's worker threads answers. */
export type Answer<Result> = { readonly result: Result } | { readonly refusal: string }
