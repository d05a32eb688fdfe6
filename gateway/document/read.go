package document

// ReadFile reads the HTML file at path by the rules of Open (regular, HTML by
// name, UTF-8, no NUL, within the limit) without making a document of it.
func ReadFile(path string) ([]byte, error) {
	asked, canonical, err := resolve(path)
	if err != nil {
		return nil, err
	}
	src, err := readFile(asked, canonical)
	return src.bytes, err
}
