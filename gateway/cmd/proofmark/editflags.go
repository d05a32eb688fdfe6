package main

import (
	"flag"
	"net/url"
	"strings"

	"proofmark/gateway/core"
)

// editFlags are the flags of the commands that look at the live page.
type editFlags struct {
	notes    notesFlag
	write    core.WriteMode
	out      string
	review   bool
	keepOpen bool
	width    int
	height   int
	origins  listFlag
	approve  listFlag
	context  contextMode

	writeText, contextText string
}

type listFlag []string

func (l *listFlag) String() string { return strings.Join(*l, ",") }
func (l *listFlag) Set(s string) error {
	for _, x := range strings.Split(s, ",") {
		if x = strings.TrimSpace(x); x != "" {
			*l = append(*l, x)
		}
	}
	return nil
}

func (f *editFlags) viewport(fs *flag.FlagSet) {
	fs.IntVar(&f.width, "width", 1280, "")
	fs.IntVar(&f.height, "height", 800, "")
	fs.Var(&f.origins, "allow-origin", "")
}

func (f *editFlags) targets(fs *flag.FlagSet) {
	fs.Var(atFlag{&f.notes}, "at", "")
	fs.Var(sayFlag{&f.notes}, "say", "")
}

func (f *editFlags) outcome(fs *flag.FlagSet) {
	fs.StringVar(&f.writeText, "write", string(core.WriteAuto), "")
	fs.StringVar(&f.out, "out", "", "")
	fs.BoolVar(&f.review, "review", false, "")
	fs.BoolVar(&f.keepOpen, "keep-open", false, "")
	fs.Var(&f.approve, "approve", "")
	fs.StringVar(&f.contextText, "context", string(contextAuto), "")
}

// check validates what the flag package does not.
func (f *editFlags) check() error {
	if f.width < 200 || f.width > 4096 || f.height < 200 || f.height > 4096 {
		return core.Errorf(core.Usage, "--width and --height are CSS pixels from 200 to 4096")
	}
	for _, o := range f.origins {
		u, err := url.Parse(o)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || (u.Path != "" && u.Path != "/") || u.RawQuery != "" {
			return core.Errorf(core.Usage, "--allow-origin %q is not an https origin", o).WithHint("write https://cdn.example.com")
		}
	}
	if f.writeText == "" {
		return nil
	}
	var err error
	if f.context, err = parseContextMode(f.contextText); err != nil {
		return err
	}
	f.write, err = writeMode(f.writeText)
	return err
}
