// Package scene makes the context snapshot of a turn (R-CTX): a short Markdown
// block that says where the person is, so that a model knows what to look at
// before it looks.
//
// A host describes what it has in a [Source]; [Collect] makes paths relative,
// drops what must not go out and spends one budget in the order of intent;
// [Render] writes the block. All of it is pure, and none of it carries
// authority: the snapshot locates, the tools prove.
//
// Every value names the world it belongs to, because the same line may read
// differently in each: the page the preview shows, a saved revision (head), the
// file on disk, the editor's buffer, and a staged candidate.
package scene
