import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.math.BigInteger;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.semanticweb.HermiT.ReasonerFactory;
import org.semanticweb.owlapi.apibinding.OWLManager;
import org.semanticweb.owlapi.io.FileDocumentSource;
import org.semanticweb.owlapi.io.UnparsableOntologyException;
import org.semanticweb.owlapi.model.*;
import org.semanticweb.owlapi.profiles.Profiles;
import org.semanticweb.owlapi.reasoner.OWLReasoner;
import org.semanticweb.owlapi.search.EntitySearcher;

/**
 * Loads each ontology file with the OWL API and prints one line of JSON of what it read.
 *
 * usage: OwlPeer [--axioms] FILE...
 *
 * A file that it cannot read gives {"file", "error", "parsers": what each parser said}. --axioms adds the text that is digested.
 * Nothing is fetched: imports are mapped to a file that is not there, and URLs of a network refuse.
 */
public class OwlPeer {
    private static final IRI NOWHERE = IRI.create("file:/dev/null/no-imports");

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        PrintStream err = System.err;
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
        System.setOut(nowhere);
        System.setErr(nowhere);
        URL.setURLStreamHandlerFactory(OwlPeer::handler);
        boolean axioms = args.length > 0 && args[0].equals("--axioms");
        try {
            for (String path : Arrays.asList(args).subList(axioms ? 1 : 0, args.length)) {
                out.println(json(look(path, axioms)));
            }
        } catch (Throwable thrown) {
            thrown.printStackTrace(err);
            System.exit(2);
        }
    }

    private static URLStreamHandler handler(String protocol) {
        if (Set.of("file", "jar", "jrt").contains(protocol)) {
            return null;
        }
        return new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) throws IOException {
                throw new IOException("no network: " + url);
            }
        };
    }

    private static Map<String, Object> look(String path, boolean axioms) {
        Map<String, Object> seen = new LinkedHashMap<>();
        seen.put("file", path);
        long start = System.nanoTime();
        OWLOntologyManager manager = OWLManager.createOWLOntologyManager();
        manager.getIRIMappers().set((OWLOntologyIRIMapper) iri -> NOWHERE);
        OWLOntologyLoaderConfiguration config = new OWLOntologyLoaderConfiguration()
                .setMissingImportHandlingStrategy(MissingImportHandlingStrategy.SILENT)
                .setFollowRedirects(false)
                .setReportStackTraces(false);
        OWLOntology ontology;
        try {
            ontology = manager.loadOntologyFromOntologyDocument(new FileDocumentSource(new File(path)), config);
        } catch (OWLOntologyCreationException | OWLRuntimeException thrown) {
            seen.put("error", thrown.getClass().getSimpleName() + ": " + firstLine(thrown));
            if (thrown instanceof UnparsableOntologyException) {
                Map<String, String> parsers = new TreeMap<>();
                ((UnparsableOntologyException) thrown).getExceptions().forEach((parser, why) ->
                        parsers.put(parser.getClass().getSimpleName(), firstLine(why)));
                seen.put("parsers", parsers);
            }
            return seen;
        }
        seen.put("format", ontology.getFormat().getKey());
        seen.put("iri", ontology.getOntologyID().getOntologyIRI().map(IRI::toString).orElse(""));
        seen.put("ontology_annotations", sorted(ontology.annotations()
                .map(annotation -> renamed(annotation.toString(), node -> "_:")).collect(Collectors.toList())));
        List<OWLClass> classes = ontology.classesInSignature()
                .filter(c -> !c.isOWLThing() && !c.isOWLNothing()).collect(Collectors.toList());
        seen.put("classes", classes.size());
        seen.put("axioms", ontology.getAxiomCount());
        seen.put("subclass", ontology.getAxiomCount(AxiomType.SUBCLASS_OF));
        seen.put("annotations", ontology.getAxiomCount(AxiomType.ANNOTATION_ASSERTION));
        OWLAnnotationProperty label = manager.getOWLDataFactory().getRDFSLabel();
        List<String> labels = new ArrayList<>();
        for (OWLClass c : classes) {
            EntitySearcher.getAnnotations(c, ontology, label).map(OWLAnnotation::getValue).forEach(value ->
                    value.asLiteral().ifPresent(text ->
                            labels.add(c.getIRI() + "|" + text.getLiteral() + "|" + text.getLang())));
        }
        seen.put("labels", sorted(labels));
        seen.put("profiles", List.of(Profiles.OWL2_EL, Profiles.OWL2_QL, Profiles.OWL2_RL).stream()
                .filter(profile -> profile.checkOntology(ontology).isInProfile())
                .map(profile -> profile.name().substring("OWL2_".length())).collect(Collectors.toList()));
        List<String> text = canonical(ontology);
        seen.put("digest", sha256(String.join("\n", text)));
        if (axioms) {
            seen.put("axiom_text", text);
        }
        seen.put("load_ms", (System.nanoTime() - start) / 1_000_000);
        start = System.nanoTime();
        try {
            OWLReasoner reasoner = new ReasonerFactory().createReasoner(ontology);
            boolean consistent = reasoner.isConsistent();
            seen.put("consistent", consistent);
            // Where nothing is consistent, nothing is satisfiable.
            seen.put("unsatisfiable", consistent
                    ? reasoner.getUnsatisfiableClasses().getEntitiesMinusBottom().size() : classes.size());
            reasoner.dispose();
        } catch (RuntimeException thrown) {
            seen.put("reasoner_error", thrown.getClass().getSimpleName() + ": " + thrown.getMessage());
        }
        seen.put("reason_ms", (System.nanoTime() - start) / 1_000_000);
        return seen;
    }

    // Strings and IRIs are passed over, so that a label "_:x" stays as it is.
    private static final Pattern NODE = Pattern.compile(
            "(?s)\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|<[^<>]*+>|_:[A-Za-z0-9_.-]*[A-Za-z0-9_-]");
    // Operands that are a set, printed in the order of their old names.
    private static final Pattern NODE_SET =
            Pattern.compile("(?<=(SameIndividual|DifferentIndividuals|ObjectOneOf)\\()_:\\w*(?: _:\\w*)+");

    /**
     * The axioms as sorted text. Anonymous individuals get names that rest on the axioms they are in,
     * not on the file: names are refined round by round until no round tells more of them apart.
     */
    private static List<String> canonical(OWLOntology ontology) {
        List<String> axioms = ontology.axioms().map(Object::toString).collect(Collectors.toList());
        Map<String, String> names = new HashMap<>();
        List<List<String>> nodes = new ArrayList<>();
        for (String axiom : axioms) {
            List<String> in = NODE.matcher(axiom).results().map(MatchResult::group)
                    .filter(found -> found.startsWith("_:")).distinct().collect(Collectors.toList());
            nodes.add(in);
            in.forEach(node -> names.put(node, "_:"));
        }
        for (long before = 0, now = 1; now > before && !names.isEmpty(); ) {
            Map<String, List<String>> around = new HashMap<>();
            for (int n = 0; n < axioms.size(); n++) {
                for (String node : nodes.get(n)) {
                    around.computeIfAbsent(node, key -> new ArrayList<>()).add(renamed(axioms.get(n),
                            other -> other.equals(node) ? "_:self" + names.get(node).substring(2) : names.get(other)));
                }
            }
            around.forEach((node, in) -> names.put(node, "_:" + sha256(String.join("\n", sorted(in)))));
            before = now;
            now = names.values().stream().distinct().count();
        }
        return sorted(axioms.stream().map(axiom -> renamed(axiom, names::get)).collect(Collectors.toList()));
    }

    private static String renamed(String text, UnaryOperator<String> name) {
        String done = NODE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(
                found.group().startsWith("_:") ? name.apply(found.group()) : found.group()));
        return NODE_SET.matcher(done).replaceAll(found ->
                String.join(" ", sorted(Arrays.asList(found.group().split(" ")))));
    }

    private static List<String> sorted(Collection<String> texts) {
        List<String> copy = new ArrayList<>(texts);
        Collections.sort(copy);
        return copy;
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return String.format("%064x", new BigInteger(1, digest));
        } catch (NoSuchAlgorithmException thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private static String firstLine(Throwable thrown) {
        return String.valueOf(thrown.getMessage()).strip().lines().findFirst().orElse("");
    }

    private static String json(Object value) {
        if (value instanceof Map) {
            return ((Map<?, ?>) value).entrySet().stream()
                    .map(entry -> json(entry.getKey()) + ":" + json(entry.getValue())).collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof Collection) {
            return ((Collection<?>) value).stream().map(OwlPeer::json).collect(Collectors.joining(",", "[", "]"));
        }
        if (!(value instanceof String)) {
            return String.valueOf(value);
        }
        StringBuilder text = new StringBuilder("\"");
        for (char c : ((String) value).toCharArray()) {
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        return text.append('"').toString();
    }
}
